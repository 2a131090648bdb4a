import { once } from 'node:events';
import { type ServerResponse, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Caller } from '../auth/caller.ts';
import { Subscriber } from './subscriber.ts';

test('a stream that has ended is cut although its client reads nothing', async () => {
  await using t = await setup();
  while (t.response.writableLength < 32_768) {
    t.subscriber.send('message', { text: 'a'.repeat(16_384) });
    await setImmediate(); // what the network takes is gone by then
  }
  const isClosed = once(t.response, 'close');

  t.subscriber.end();
  await isClosed;

  expect(t.response.writableFinished).toBe(false);
});

test('a client that reads gets all of a stream before its end', async () => {
  await using t = await setup();
  t.subscriber.send('message', { count: 1 });
  t.subscriber.end();

  const text = (await t.read()).join('');

  expect(text).toBe('event: message\ndata: {"count":1}\n\n');
});

/** A stream whose client has its headers and reads nothing until `read`. */
async function setup() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false });
  request.on('error', () => undefined);
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  response.writeHead(200, { connection: 'close' }).flushHeaders();
  const [incoming] = await once(request, 'response');
  incoming.on('error', () => undefined);
  const subscriber = new Subscriber({} as Caller, response, () => Promise.resolve(true), 50);
  return {
    response,
    subscriber,
    read: (): Promise<string[]> => incoming.setEncoding('utf8').toArray(),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      request.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
