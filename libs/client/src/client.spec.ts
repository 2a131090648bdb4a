import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { SignalboxError, createSignalbox, getMessage, sendSms } from './client.ts';

const REFUSAL = {
  id: null,
  data: null,
  message: 'text must not be blank',
  error: {
    code: 'invalid_request',
    message: 'text must not be blank',
    retryable: false,
    docs: '/docs/errors#invalid_request',
    requestId: '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c90',
    details: [{ field: 'text', rule: 'blank', message: 'must not be blank' }],
  },
};
const PAGE = '<html><body>Bad Gateway</body></html>';

/** Starts a server that responds to each call alike. `calls` are the paths and keys that it got. */
async function startServer(respond: RequestListener) {
  const calls: unknown[] = [];
  const server = createServer((request, response) => {
    calls.push([request.method, request.url, request.headers['apikey']]);
    respond(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    calls,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

function respondWith(status: number, headers: Record<string, string> = {}, body = ''): RequestListener {
  return (_request, response) => void response.writeHead(status, headers).end(body);
}

/** Makes a call, and another that throws. @returns the error of both */
async function failAt(url: string, signal?: AbortSignal): Promise<SignalboxError> {
  const client = createSignalbox({ url, apiKey: 'key' });
  const call = { client, path: { messageId: 'a:1' }, ...(signal && { signal }) };
  const { data, error } = await getMessage(call);
  const thrown = await getMessage({ ...call, throwOnError: true }).catch((reason: unknown) => reason);

  expect(data).toBeUndefined();
  for (const each of [error, thrown]) expect(each).toBeInstanceOf(SignalboxError);
  expect((thrown as SignalboxError).message).toBe(error?.message);
  return thrown as SignalboxError;
}

test('a refused call is an error with the members of its body', async () => {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'retry-after': '7' };
  await using server = await startServer(respondWith(400, headers, JSON.stringify(REFUSAL)));

  const error = await failAt(server.url);

  const { id, data, message } = error;
  expect({ id, data, message, error: error.error }).toEqual(REFUSAL);
  expect([error.status, error.retryAfterSeconds]).toEqual([400, 7]);
  expect(error.stack).toContain('SignalboxError: text must not be blank');
});

test.each([
  ['a page of a proxy', 502, { 'content-type': 'text/html' }, PAGE, true],
  ['an empty body', 503, { 'retry-after': '2' }, '', true],
  ['a page that is not found', 404, { 'content-type': 'text/html' }, PAGE, false],
  ['JSON of another program', 400, { 'content-type': 'application/json' }, '{"message":"no"}', false],
  ['JSON like that of the API', 404, { 'content-type': 'application/json' }, '{"error":{"code":404}}', false],
  ['an empty body with status 200', 200, { 'content-length': '0' }, '', false],
  ['status 204', 204, {}, '', false],
  ['a text with status 200', 200, { 'content-type': 'text/plain' }, 'OK', false],
  ['a page with status 200', 200, { 'content-type': 'text/html; charset=utf-8' }, PAGE, false],
  ['a body that is cut off', 200, { 'content-type': 'application/json' }, '{"data":', false],
])('%s is no answer', async (_, status, headers, body, retryable) => {
  await using server = await startServer(respondWith(status, headers as Record<string, string>, body));

  const error = await failAt(server.url);

  expect(error.message).toBe(
    `The response with status ${status} is not from Signalbox: check the url, and any proxy in front of it.`,
  );
  expect(error.error).toMatchObject({ code: 'no_answer', retryable, details: [] });
  expect([error.status, error.retryAfterSeconds]).toEqual([status, status === 503 ? 2 : 1]);
});

test('a refused connection is no answer', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, 'close');

  const error = await failAt(`http://127.0.0.1:${port}`);

  expect(error.message).toBe(`Signalbox did not answer: connect ECONNREFUSED 127.0.0.1:${port}`);
  expect(error.error).toMatchObject({ code: 'no_answer', retryable: true });
  expect([error.status, (error.cause as Error).message]).toEqual([undefined, 'fetch failed']);
});

test.each([
  ['before its response', () => {}],
  [
    'within its body',
    (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json', 'content-length': 9 }).write('{'),
  ],
] satisfies [string, RequestListener][])('a call that times out %s may be repeated', async (_, respond) => {
  await using server = await startServer(respond);

  const error = await failAt(server.url, AbortSignal.timeout(200));

  expect(error.message).toBe('Signalbox did not answer: The operation was aborted due to timeout');
  expect(error.error).toMatchObject({ code: 'no_answer', retryable: true });
});

test.each([
  [undefined, 'This operation was aborted'],
  [null, 'null'],
  ['the page was closed', 'the page was closed'],
  [new Error('the user left'), 'the user left'],
])('a call that its caller ends with the reason %p is not to be repeated', async (reason, words) => {
  await using server = await startServer(() => {});

  const error = await failAt(server.url, AbortSignal.abort(reason));

  expect(error.message).toBe(`Signalbox did not answer: ${words}`);
  expect(error.error).toMatchObject({ code: 'no_answer', retryable: false });
});

test('a call that its caller ends within its body is not to be repeated', async () => {
  const ending = new AbortController();
  const head = { 'content-type': 'application/json', 'content-length': 9 };
  await using server = await startServer((_request, response) => {
    response.writeHead(200, head).write('{');
    setImmediate(() => ending.abort('the page was closed'));
  });

  const error = await failAt(server.url, ending.signal);

  expect(error.message).toBe('Signalbox did not answer: the page was closed');
  expect(error.error).toMatchObject({ code: 'no_answer', retryable: false });
});

test('an invalid address is not to be repeated', async () => {
  const error = await failAt('sms.example.com');

  expect(error.message).toContain('The call could not be made: ');
  expect(error.error).toMatchObject({ code: 'no_answer', retryable: false });
});

test('a redirect is refused, so that the key reaches no other address', async () => {
  await using other = await startServer(respondWith(200));
  const location = `${other.url}/v1/sms`;
  await using server = await startServer(respondWith(301, { location }));
  const client = createSignalbox({ url: `${server.url}/`, apiKey: 'key' });

  const body = { sender: 'SIGNAL', to: '919800000100', text: 'Hello', type: 'TRANS' as const };
  const { error } = await sendSms({ client, body });

  expect(error?.message).toBe(
    `The call was redirected to ${location}. Signalbox redirects none: check the url.`,
  );
  expect(error?.error).toMatchObject({ code: 'no_answer', retryable: false });
  expect(server.calls).toEqual([['POST', '/v1/sms', 'key']]);
  expect(other.calls).toEqual([]);
});
