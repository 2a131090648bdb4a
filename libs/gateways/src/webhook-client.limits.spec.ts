import type { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { freePort } from '@signalbox/tools/servers/ports';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { listenHttp, listenRaw } from '../test/listen.ts';
import { WebhookClient } from './webhook-client.ts';

function openClient() {
  const client = new WebhookClient({ allowPrivate: true, connectionsPerOrigin: 1 });
  return { send: client.send.bind(client), [Symbol.asyncDispose]: () => client.close() };
}

const call = (url: string) => ({ method: 'POST' as const, url, headers: {}, body: '{}' });

test('a call has its own timeout', async () => {
  await using server = await listenHttp(() => undefined);
  await using client = openClient();

  expect(await client.send({ ...call(server.url), timeoutMs: 50 })).toMatchObject({
    error: 'timeout',
    status: null,
  });
});

test('a call ends by its signal, before and after it is sent', async () => {
  const caller = new AbortController();
  let received = 0;
  await using server = await listenHttp(() => {
    received += 1;
    caller.abort();
  });
  await using client = openClient();

  const sent = await client.send({ ...call(server.url), signal: caller.signal });
  const unsent = await client.send({ ...call(server.url), signal: caller.signal });

  expect([sent.error, sent.unsent, unsent.error, unsent.unsent]).toEqual([
    'client_closed',
    undefined,
    'client_closed',
    true,
  ]);
  expect(received).toBe(1);
});

test('a call that waits for a connection until its timeout is never sent', async () => {
  const bodies: string[] = [];
  let answer = (): unknown => undefined;
  await using server = await listenHttp((request, response) => {
    request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
    answer = () => response.end();
  });
  await using client = openClient();

  const first = client.send({ ...call(server.url), body: 'first' });
  const second = await client.send({ ...call(server.url), body: 'second', timeoutMs: 50 });
  await waitFor(() => bodies.length > 0);
  answer();

  expect([(await first).status, second.error, second.unsent]).toEqual([200, 'timeout', true]);
  const third = client.send({ ...call(server.url), body: 'third' });
  await waitFor(() => bodies.length === 2);
  answer();
  expect([(await third).status, bodies]).toEqual([200, ['first', 'third']]);
});

test.each([
  ['is refused', 'http', 'connect_failed'],
  ['is no address', 'ftp', 'invalid_call'],
])('a call that %s was not sent', async (_, scheme, error) => {
  await using client = openClient();
  const url = `${scheme}://127.0.0.1:${await freePort()}/`;
  expect(await client.send(call(url))).toMatchObject({ error, unsent: true });
});

const OK = 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=600\r\nContent-Length: 2\r\n\r\nok';
test.each([
  ['interim answers', '', 'HTTP/1.1 103 X\r\n\r\n'],
  ['a reason phrase', 'HTTP/1.1 200 ', 'x'],
  ['empty lines', '', '\r\n'],
])('a call whose answer has %s without end ends before its timeout', async (_, begin, rest) => {
  await using server = await listenRaw((socket) => pour(socket, begin, rest));
  await using client = openClient();

  const result = await client.send(call(server.url));

  expect(result).toMatchObject({ ok: false, status: null, error: 'connection_lost' });
});

test('a connection whose peer sends without end after its answer is closed', async () => {
  await using server = await listenRaw((socket) => pour(socket, OK, '\r\n'));
  await using client = openClient();

  expect(await client.send(call(server.url))).toMatchObject({ ok: true });

  await server.hungUp();
});

test('a connection that is used again may get as much for each call', async () => {
  const long = `HTTP/1.1 500 ${'x'.repeat(150_000)}\r\nContent-Length: 0\r\n\r\n`;
  await using server = await listenRaw((socket) => {
    socket.write(long);
    socket.on('data', () => socket.write(long));
  });
  await using client = openClient();

  for (let i = 0; i < 4; i += 1) expect((await client.send(call(server.url))).status).toBe(500);

  expect(server.connects()).toBe(1);
});

/** Writes `rest` again and again, as fast as the client reads. */
function pour(socket: Socket, begin: string, rest: string): void {
  const chunk = rest.repeat(65_536 / rest.length);
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.write(begin);
  socket.on('drain', more);
  more();
}
