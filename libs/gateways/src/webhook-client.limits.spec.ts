import { expect, test } from '@jest/globals';
import { listenHttp } from '../test/listen.ts';
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
  while (bodies.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  answer();

  expect([(await first).status, second.error, second.unsent]).toEqual([200, 'timeout', true]);
  const third = client.send({ ...call(server.url), body: 'third' });
  while (bodies.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  answer();
  expect([(await third).status, bodies]).toEqual([200, ['first', 'third']]);
});

test.each([
  ['is refused', 'http://127.0.0.1:9/', 'connect_failed', true],
  ['is no address', 'ftp://127.0.0.1/', 'invalid_call', true],
])('a call that %s was not sent', async (_, url, error, unsent) => {
  await using client = openClient();
  expect(await client.send(call(url))).toMatchObject({ error, unsent });
});
