import { expect, test } from '@jest/globals';
import { freePort } from '@signalbox/tools/servers/ports';
import { waitFor } from '@signalbox/tools/servers/wait-for';
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
