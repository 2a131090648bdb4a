import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { runCli } from '@signalbox/test/run-cli';
import { callApi } from './call-api.ts';

const ACCEPTED = { data: [{ recipient: '919800000001', messageId: 'id:1' }] };

test('a call keeps the path of SIGNALBOX_URL, with a slash at its end or without', async () => {
  const paths: (string | undefined)[] = [];
  await using api = await serve(({ url }, response) => {
    paths.push(url);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ACCEPTED));
  });

  for (const path of ['/sms', '/sms/', '']) await api.run(path, 'send', '919800000001', '--', '-50 % today');

  expect(paths).toEqual(['/sms/v1/sms', '/sms/v1/sms', '/v1/sms']);
});

test('a post is repeated under its idempotency key, and says why it waits and for how long', async () => {
  const error = { code: 'rate_limited', message: 'Too many.', retryable: true, requestId: 'r1' };
  const keys: unknown[] = [];
  await using api = await serve(({ headers: { 'idempotency-key': key } }, response) => {
    keys.push(key);
    const headers = { 'content-type': 'application/json', 'retry-after': '1' };
    response.writeHead(keys.length === 1 ? 429 : 200, headers);
    response.end(JSON.stringify(keys.length === 1 ? { error } : ACCEPTED));
  });

  expect(await api.run('', 'send', '919800000001', 'Hello')).toEqual({
    code: 0,
    output: 'Too many.\n(429 rate_limited, request r1)\nTrying again in 1 s.\n919800000001  id:1\n',
  });
  expect(keys).toEqual([expect.stringMatching(/^.{36}$/), keys[0]]);
});

test('a signal ends a call that is not answered', async () => {
  const ending = new AbortController();
  await using api = await serve(() => ending.abort());

  const failure: unknown = await api.call({ signal: ending.signal }).catch((error: unknown) => error);

  expect([ending.signal.aborted, failure]).toEqual([true, ending.signal.reason]);
});

test('a signal ends the wait for a repeat', async () => {
  const ending = new AbortController();
  await using api = await serve((_, response) => response.writeHead(503, { 'retry-after': '600' }).end());

  const repeats = { signal: ending.signal, onWait: () => ending.abort() };
  const failure: unknown = await api.call(repeats).catch((error: unknown) => error);

  expect([ending.signal.aborted, failure]).toEqual([true, ending.signal.reason]);
});

test('a redirect is refused, and the key is not sent on', async () => {
  const paths: (string | undefined)[] = [];
  await using api = await serve(({ url }, response) => {
    paths.push(url);
    response.writeHead(301, { location: '/elsewhere' }).end();
  });

  await expect(api.call({})).rejects.toThrow('redirects to /elsewhere. Set SIGNALBOX_URL to');
  expect(paths).toEqual(['/v1/sms']);
});

test.each([
  ['JSON of another program', 404, '{"message":"no"}'],
  ['a text that is declared as JSON', 200, 'OK'],
  ['null', 200, 'null'],
])('%s is not taken for an answer of the API, and not asked for again', async (_, status, body) => {
  let calls = 0;
  await using api = await serve((_request, response) => {
    calls += 1;
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });

  await expect(api.call({})).rejects.toThrow(
    `answers ${status} otherwise than the API. Check that SIGNALBOX_URL is the address of the API,`,
  );
  expect(calls).toBe(1);
});

/** Serves as the API. */
async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const before = { ...process.env };
  Object.assign(process.env, { SIGNALBOX_URL: url, SIGNALBOX_API_KEY: 'key' });
  return {
    call: (repeats: Parameters<typeof callApi>[2]) => callApi('/v1/sms', undefined, repeats),
    /** Runs a command on the API at a path. */
    run: (path: string, ...args: string[]) => runCli({ SIGNALBOX_URL: `${url}${path}` }, ...args),
    [Symbol.asyncDispose]: async () => {
      process.env = before;
      server.close();
      server.closeAllConnections();
    },
  };
}
