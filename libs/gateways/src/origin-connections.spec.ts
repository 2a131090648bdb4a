import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { Client } from 'undici';
import { listen, listenHttp } from '../test/listen.ts';
import { type GuardedConnector, guardedConnector } from './guarded-connector.ts';
import { OriginConnections } from './origin-connections.ts';
import { WebhookClient } from './webhook-client.ts';

function openClient(connectionsPerOrigin: number) {
  const client = new WebhookClient({ allowPrivate: true, connectionsPerOrigin, totalTimeoutMs: 60_000 });
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

/** A server that answers calls to `/slow/…` only by `endSlow`, and others immediately. */
async function setup(connectionsPerOrigin: number) {
  const paths: string[] = [];
  const slow: ServerResponse[] = [];
  const arrivals = new EventEmitter();
  const server = await listenHttp(({ url = '' }, response) => {
    paths.push(url);
    if (url.startsWith('/slow/')) slow.push(response);
    else response.end();
    arrivals.emit('call');
  });
  const client = openClient(connectionsPerOrigin);
  return {
    paths,
    endSlow: (end: (response: ServerResponse) => unknown) => slow.splice(0).map(end),
    async arrived(path: string) {
      while (!paths.includes(path)) await once(arrivals, 'call');
    },
    call: (accountId: string, path: string) =>
      client.send({
        method: 'GET',
        url: `http://127.0.0.1:${server.port}${path}`,
        headers: {},
        owner: { accountId, webhookId: accountId },
      }),
    async [Symbol.asyncDispose]() {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

test('accounts that wait for a connection to an origin are served round-robin', async () => {
  await using t = await setup(1);

  const calls = [
    ...['/a1', '/a2', '/a3', '/a4'].map((path) => t.call('a', path)),
    t.call('b', '/b1'),
    t.call('c', '/c1'),
    t.call('b', '/b2'),
  ];
  await Promise.all(calls);

  expect(t.paths).toEqual(['/a1', '/a2', '/b1', '/c1', '/a3', '/b2', '/a4']);
});

test('an account has at most four fifths of the connections to an origin', async () => {
  await using t = await setup(5);
  const slow = Array.from({ length: 5 }, (_, i) => t.call('a', `/slow/${i}`));

  expect(await t.call('b', '/b1')).toMatchObject({ ok: true });
  expect(await t.call('b', '/b2')).toMatchObject({ ok: true });

  expect(t.paths.toSorted()).toEqual(['/b1', '/b2', '/slow/0', '/slow/1', '/slow/2', '/slow/3']);
  t.endSlow((response) => response.end());
  await t.arrived('/slow/4');
  t.endSlow((response) => response.end());
  expect((await Promise.all(slow)).map(({ error }) => error)).toEqual(Array(5).fill(null));
});

test('an account at its share makes further calls when its calls fail', async () => {
  await using t = await setup(5);
  const slow = Array.from({ length: 8 }, (_, i) => t.call('a', `/slow/${i}`));
  await t.arrived('/slow/3');

  t.endSlow((response) => response.destroy());

  await t.arrived('/slow/7');
  t.endSlow((response) => response.end());
  const errors = (await Promise.all(slow)).map(({ error }) => error);
  expect(errors).toEqual([...Array(4).fill('connection_lost'), ...Array(4).fill(null)]);
});

test.each([0, 2_000])('an unasked 100 Continue with %d bytes of headers is ignored', async (bytes) => {
  const answer = `HTTP/1.1 100 Continue\r\nX: ${'x'.repeat(bytes)}\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n`;
  await using server = await listen(
    createServer((socket) => socket.on('data', () => void socket.write(answer))),
  );
  await using client = openClient(1);
  const call = { method: 'GET', url: server.url, headers: {} } as const;

  const results = [await client.send(call), await client.send(call)];

  expect(results.map(({ ok, status }) => [ok, status])).toEqual([
    [true, 204],
    [true, 204],
  ]);
  expect(server.connects()).toBe(1);
});

test('undici gets an answer in small pieces', async () => {
  await using server = await listenHttp((_, response) => response.end('x'.repeat(60_000)));
  const pieces: number[] = [];
  const connections = new OriginConnections(
    (connect) => new Client(`http://127.0.0.1:${server.port}`, { connect: recordingReads(connect, pieces) }),
    guardedConnector({ allowPrivate: true, timeoutMs: 5_000, lookup: () => Promise.resolve([]) }),
    1,
    60_000,
    () => undefined,
  );

  const body = await new Promise<string>((resolve, reject) => {
    connections.run({
      owner: undefined,
      hasEnded: () => false,
      start: ({ client }) =>
        void client
          .request({ method: 'GET', path: '/' })
          .then((answer) => answer.body.text())
          .then(resolve, reject),
    });
  });
  connections.close();

  expect(body).toHaveLength(60_000);
  expect(Math.max(...pieces)).toBe(1024);
});

function recordingReads(connect: GuardedConnector, pieces: number[]): GuardedConnector {
  return (target, callback) =>
    connect(target, (...result) => {
      const [, socket] = result;
      const read = socket?.read.bind(socket);
      if (socket && read)
        socket.read = () => {
          const piece = read() as Buffer | null;
          pieces.push(piece?.length ?? 0);
          return piece;
        };
      callback(...result);
    });
}
