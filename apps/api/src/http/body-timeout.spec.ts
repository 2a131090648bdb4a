import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { expectBodyWithin } from './body-timeout.ts';

const TIMEOUT_MS = 20;

function setup({ complete = false } = {}): {
  request: IncomingMessage;
  response: ServerResponse;
  ended: string[];
} {
  const ended: string[] = [];
  const socket = Object.assign(new Socket(), { end: (text: string) => ended.push(text) });
  Object.defineProperty(socket, 'writable', { value: true });
  const request = Object.assign(new IncomingMessage(socket), { complete });
  const response = new ServerResponse(request);
  expectBodyWithin(response, TIMEOUT_MS);
  return { request, response, ended };
}

test('a body that does not arrive in time gets 408', async () => {
  const { ended } = setup();

  await setTimeout(3 * TIMEOUT_MS);

  expect(ended).toEqual([expect.stringContaining('HTTP/1.1 408')]);
});

test('a body that arrived is not waited for', async () => {
  const { request, ended } = setup();

  request.complete = true;
  await setTimeout(3 * TIMEOUT_MS);

  expect(ended).toEqual([]);
});

test('a closed request is not waited for', async () => {
  const { request, ended } = setup();

  request.emit('close');
  await setTimeout(3 * TIMEOUT_MS);

  expect(ended).toEqual([]);
});

test('the body of an answered request is not waited for', async () => {
  const { response, ended } = setup();

  response.end();
  await setTimeout(3 * TIMEOUT_MS);

  expect(ended).toEqual([]);
});

test('a body that has arrived already needs no timer', () => {
  const { request } = setup({ complete: true });

  expect(request.listenerCount('close')).toBe(0);
});
