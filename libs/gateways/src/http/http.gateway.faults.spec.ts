import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import type net from 'node:net';
import { expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import fc from 'fast-check';
import { findSuspects } from '../connection.ts';
import { openGateway, startVendor } from '../../test/http-vendor.ts';
import { SUBMISSION, sms } from '../../test/sms.ts';
import { listenRaw } from '../../test/listen.ts';
import { WAIT } from '../../test/gateway.conformance.ts';

const SETTINGS = {
  request: {
    method: 'POST',
    url: '{baseUrl}/',
    body: { type: 'form', fields: { id: '{messageId}', text: '{text}' } },
  },
  answer: { success: { source: 'id' }, id: 'id', errorCode: 'code', temporary: ['busy'] },
};
const MB = 1024 * 1024;

const batch = (count: number) =>
  Array.from({ length: count }, (_, i) => sms({ messageId: `${SUBMISSION}:${i + 1}` }));

function pour(socket: net.Socket): void {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

test.each<[string, (socket: net.Socket) => unknown]>([
  ['hangs', () => undefined],
  ['resets', (socket) => socket.resetAndDestroy()],
  ['closes', (socket) => socket.end()],
  ['drips', (socket) => dripOn(socket)],
  ['answers garbage', (socket) => socket.end('220 smtp ready\r\n')],
  [
    'answers a success without an id',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'),
  ],
  [
    'answers half of a success',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"id":"1'),
  ],
  ['returns 500', (socket) => socket.end('HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n')],
  ['returns 500 with a page', (socket) => socket.end('HTTP/1.1 500 X\r\nContent-Length: 6\r\n\r\n<html>')],
  [
    'answers a body of 1 GB',
    (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${1024 * MB}\r\n\r\n`);
      pour(socket);
    },
  ],
  ['answers headers without end', (socket) => (socket.write('HTTP/1.1 200 OK\r\nX: '), pour(socket))],
])('messages to a vendor that %s are unconfirmed, within the deadline', async (_, speak) => {
  await using vendor = await listenRaw((socket) => void speak(socket));
  const { gateway } = openGateway({
    ...SETTINGS,
    baseUrl: `http://127.0.0.1:${vendor.port}`,
    concurrency: 3,
  });

  const outcomes = await gateway.submit(batch(3), { ...WAIT, deadlineMs: 2_000 });

  expect(outcomes.map(({ result }) => result)).toEqual(['unconfirmed', 'unconfirmed', 'unconfirmed']);
  await gateway.close();
});

test('a vendor that never answers is left alone after the first request', async () => {
  await using vendor = await listenRaw((socket) => socket.resetAndDestroy());
  const { gateway } = openGateway({
    ...SETTINGS,
    baseUrl: `http://127.0.0.1:${vendor.port}`,
    concurrency: 1,
  });

  const outcomes = await gateway.submit(batch(20), WAIT);

  expect(outcomes.filter(({ result }) => result === 'unconfirmed')).toHaveLength(1);
  expect(gateway.state()).toMatchObject({
    status: 'down',
    reason: expect.stringContaining('without an answer'),
  });
  await gateway.close();
});

test('a vendor that answers no longer is left alone after a few requests', async () => {
  let isGone = false;
  await using vendor = await startVendor((_, response, socket) =>
    isGone ? socket.resetAndDestroy() : response.end('{"id":"1"}'),
  );
  const { gateway } = openGateway({ ...SETTINGS, baseUrl: vendor.origin, concurrency: 1 });
  await gateway.submit(batch(1), WAIT);
  isGone = true;

  const outcomes = await gateway.submit(batch(20), WAIT);

  expect(outcomes.filter(({ result }) => result === 'unconfirmed')).toHaveLength(5);
  expect(outcomes.filter(({ result }) => result === 'throttled')).toHaveLength(15);
  expect(gateway.state()).toMatchObject({
    status: 'down',
    reason: expect.stringContaining('without an answer'),
  });
  await gateway.close();
});

test('a vendor that answers 5xx is left alone after a few requests', async () => {
  let status = 200;
  await using vendor = await startVendor((_, response) => response.writeHead(status).end('{"id":"1"}'));
  const { gateway } = openGateway({ ...SETTINGS, baseUrl: vendor.origin, concurrency: 1 });
  await gateway.submit(batch(1), WAIT);
  status = 502;

  const outcomes = await gateway.submit(batch(20), WAIT);

  expect(outcomes.filter(({ result }) => result === 'unconfirmed')).toHaveLength(5);
  expect(outcomes.filter(({ result }) => result === 'throttled')).toHaveLength(15);
  expect(gateway.state()).toMatchObject({
    status: 'down',
    reason: `The address ${vendor.origin} answers with HTTP 502 and does not say whether it took the message. Ask the vendor.`,
    detail: { lastStatus: 502 },
  });
  await gateway.close();
});

test('a call from before an outage lets no second message test the vendor', async () => {
  const hanging: ServerResponse[] = [];
  let isGone = false;
  await using vendor = await startVendor((_, response, socket) =>
    isGone ? socket.resetAndDestroy() : hanging.push(response),
  );
  const { gateway } = openGateway({ ...SETTINGS, baseUrl: vendor.origin, timeoutMs: 28_000 });
  const submit = async () => (await gateway.submit(batch(1), WAIT))[0]?.result;
  const old = submit();
  await waitFor(() => hanging.length === 1);
  isGone = true;
  while (gateway.state().status !== 'down') await submit();
  isGone = false;
  await waitFor(() => gateway.state().detail['takes'] === 'one');
  const probe = submit();
  await waitFor(() => hanging.length === 2);

  hanging[0]?.writeHead(502).end();
  expect(await old).toBe('unconfirmed');
  await waitFor(() => gateway.state().detail['throttledUntil'] === null);

  expect(await submit()).toBe('throttled');
  hanging[1]?.end('{"id":"1"}');
  expect(await probe).toBe('accepted');
  await gateway.close();
});

test('a single 500 leaves its message unconfirmed, and the next one is accepted', async () => {
  const statuses = [200, 500, 200];
  await using vendor = await startVendor((_, response) =>
    response.writeHead(statuses.shift()!).end('{"id":"1"}'),
  );
  const { gateway } = openGateway({ ...SETTINGS, baseUrl: vendor.origin });

  const results = [];
  for (const message of batch(3)) results.push((await gateway.submit([message], WAIT))[0]?.result);

  expect(results).toEqual(['accepted', 'unconfirmed', 'accepted']);
  await gateway.close();
});

test('a message that gets a connection too late for its answer is not written', async () => {
  await using vendor = await startVendor((_, response) => {
    setTimeout(() => response.end('{"id":"1"}'), 1_200);
  });
  const { gateway } = openGateway({ ...SETTINGS, baseUrl: vendor.origin, concurrency: 1 });

  const outcomes = await gateway.submit(batch(3), { ...WAIT, deadlineMs: 2_000 });

  expect(outcomes.map(({ result }) => result)).toEqual(['accepted', 'throttled', 'throttled']);
  expect(vendor.requests).toHaveLength(1);
  await gateway.close();
});

test('an exception in a call is traced to its gateway', async () => {
  await using vendor = await startVendor((_, response) => response.end('{"id":"1"}'));
  const { gateway } = openGateway({ ...SETTINGS, baseUrl: vendor.origin });
  const traced: unknown[] = [];
  const trace = () => void traced.push(findSuspects());

  subscribe('undici:request:headers', trace); // undici publishes from the middle of its parser
  await gateway.submit(batch(1), WAIT);
  unsubscribe('undici:request:headers', trace);

  expect(traced).toEqual([[{ gateway: gateway.name }]]);
  await gateway.close();
});

type Mood = 'accept' | 'refuse' | 'busy' | 'fail' | 'reset' | 'hang' | 'cut';
const MOODS: Mood[] = ['accept', 'refuse', 'busy', 'fail', 'reset', 'hang', 'cut'];

test('every message has one outcome, and one that may be sent again never reached the vendor', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...MOODS), { minLength: 5, maxLength: 40 }), async (moods) => {
      const taken: string[] = [];
      let count = 0;
      await using vendor = await startVendor(({ fields }, response, socket) => {
        const mood = moods[count++ % moods.length]!;
        if (mood !== 'refuse' && mood !== 'busy') taken.push(fields['id']!);
        act(mood, response, socket);
      });
      const { gateway } = openGateway({ ...SETTINGS, baseUrl: vendor.origin, concurrency: 4 });

      const sent = batch(moods.length);
      const outcomes = await gateway.submit(sent, { ...WAIT, deadlineMs: 300 });
      await gateway.close();

      expect(outcomes.map(({ messageId }) => messageId)).toEqual(sent.map(({ messageId }) => messageId));
      expect(new Set(taken).size).toBe(taken.length);
      const maybeTaken = outcomes.filter(({ result }) => result === 'accepted' || result === 'unconfirmed');
      expect(maybeTaken.map(({ messageId }) => messageId)).toEqual(expect.arrayContaining(taken));
    }),
    { numRuns: 10 },
  );
});

function act(mood: Mood, response: import('node:http').ServerResponse, socket: net.Socket): unknown {
  switch (mood) {
    case 'accept':
      return response.end('{"id":"1"}');
    case 'refuse':
      return response.writeHead(400).end('{"code":"1"}');
    case 'busy':
      return response.writeHead(400).end('{"code":"busy"}');
    case 'fail':
      return response.writeHead(502).end('<html>');
    case 'reset':
      return socket.resetAndDestroy();
    case 'cut':
      return response.writeHead(200, { 'content-length': '99' }).write('{"id"', () => socket.destroy());
    case 'hang':
      return undefined;
    default:
      return mood satisfies never;
  }
}

function dripOn(socket: net.Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n');
  const timer = setInterval(() => socket.write('{'), 50);
  socket.on('close', () => clearInterval(timer));
}
