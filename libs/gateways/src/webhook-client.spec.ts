import net from 'node:net';
import tls from 'node:tls';
import { expect, test } from '@jest/globals';
import { readCredentials } from '@signalbox/test/certificates';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { listen, listenHttp, listenRaw } from '../test/listen.ts';
import { findSuspects } from './connection.ts';
import type { PushResult } from './webhook-call.ts';
import { WebhookClient, type WebhookClientOptions } from './webhook-client.ts';

const KB = 1024;

/** A client that may call this machine, with timeouts that suit a test. */
function openClient(change: Partial<WebhookClientOptions> = {}) {
  const client = new WebhookClient({
    allowPrivate: true,
    connectionsPerOrigin: 4,
    connectTimeoutMs: 10_000,
    totalTimeoutMs: 60_000,
    ...change,
  });
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

const post = (url: string) => ({
  method: 'POST' as const,
  url,
  headers: { 'content-type': 'application/json' },
  body: '{"a":1}',
});

/** Writes as fast as the caller reads until it hangs up, and returns the number of written bytes. */
function pour(socket: net.Socket, chunk: string): () => number {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
  return () => socket.bytesWritten;
}

/** Writes a piece every 20 ms, for ever. */
function drip(socket: net.Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 20);
  socket.on('close', () => clearInterval(timer));
}

test('a call carries its method, headers and body, and a 2xx is a success', async () => {
  const seen: unknown[] = [];
  await using server = await listenHttp((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      seen.push(request.method, request.url, request.headers['x-id'], body);
      response.writeHead(204).end();
    });
  });
  await using client = openClient();

  const result = await client.send({
    method: 'POST',
    url: server.url,
    headers: { 'X-Id': 'é 1' },
    body: '{"a":"é"}',
  });
  const timings = {
    dnsMs: null,
    connectMs: expect.any(Number),
    tlsMs: null,
    firstByteMs: expect.any(Number),
  };
  expect(result).toEqual({
    ok: true,
    status: 204,
    error: null,
    gone: false,
    durationMs: expect.any(Number),
    timings,
    answer: '',
  });
  expect(seen).toEqual(['POST', '/hook?a=1', 'é 1', '{"a":"é"}']);

  await client.send({ method: 'GET', url: `${server.url}#fragment`, headers: {} });
  expect(seen.slice(4)).toEqual(['GET', '/hook?a=1', undefined, '']);
});

test('a result is handed over outside of the connection, so that the caller is no suspect', async () => {
  await using server = await listenHttp((_, response) => void response.end());
  await using client = openClient();
  const owner = { accountId: 'account', webhookId: 'webhook' };
  const suspects = (url: string) =>
    new Promise((resolve) => client.run({ ...post(url), owner }, () => resolve(findSuspects())));

  expect(await suspects(server.url)).toEqual([]);
  expect(await suspects('http://127.0.0.1:1/')).toEqual([]);
});

test('a connection that has its age gets no further call, so that its name is resolved again', async () => {
  await using server = await listenHttp((_, response) => void response.end());
  await using client = openClient({ connectionsPerOrigin: 1, maxConnectionAgeMs: 0 });

  const results = await Promise.all([post(server.url), post(server.url)].map((call) => client.send(call)));
  results.push(await client.send(post(server.url)));

  expect([results.map(({ ok }) => ok), server.connects()]).toEqual([[true, true, true], 3]);
});

test('connections are kept for later calls, whether those before succeeded or not', async () => {
  await using server = await listenHttp((request, response) => {
    response.writeHead(request.method === 'GET' ? 500 : 200).end('x'.repeat(10 * KB));
  });
  await using client = openClient({ connectionsPerOrigin: 1 });
  for (const method of ['POST', 'GET', 'POST', 'GET'] as const)
    await client.send({ ...post(server.url), method, body: undefined });
  expect(server.connects()).toBe(1);
});

test.each([
  [200, true, null],
  [299, true, null],
  [301, false, 'redirect'],
  [304, false, 'redirect'],
  [400, false, 'bad_status'],
  [410, false, 'bad_status'],
  [503, false, 'bad_status'],
])('status %d: ok %s, error %s', async (status, ok, error) => {
  await using server = await listenHttp((_, response) => response.writeHead(status).end());
  await using client = openClient();
  expect(await client.send(post(server.url))).toMatchObject({ ok, status, error, gone: status === 410 });
});

test('a call returns its timings, those of a dial only if it needed one', async () => {
  await using server = await listenHttp((_, response) => setTimeout(() => response.end(), 40));
  await using client = openClient({
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    connectionsPerOrigin: 1,
  });
  const call = { ...post(`http://example.com:${server.port}/`) };

  const results = await Promise.all([client.send(call), client.send(call)]);

  expect(results.map(({ timings }) => timings)).toEqual([
    {
      dnsMs: expect.any(Number),
      connectMs: expect.any(Number),
      tlsMs: null,
      firstByteMs: expect.any(Number),
    },
    { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: expect.any(Number) },
  ]);
  const [first, second] = results as [PushResult, PushResult];
  expect(first.timings.firstByteMs).toBeGreaterThan(35);
  expect(second.durationMs - second.timings.firstByteMs!).toBeGreaterThan(35); // its wait for the connection
});

test('a call that was never connected returns the steps that its dial reached', async () => {
  await using server = await listen(net.createServer());
  await using client = openClient({ connectTimeoutMs: 2_000 });

  const { timings } = await client.send(post(`https://localhost:${server.port}/`));

  expect(timings).toEqual({
    dnsMs: expect.any(Number),
    connectMs: expect.any(Number),
    tlsMs: null,
    firstByteMs: null,
  });
});

test('a success keeps its answer for a caller that wants it', async () => {
  await using server = await listenHttp((_, response) => response.end('thank you'));
  await using client = openClient();
  expect(await client.send({ ...post(server.url), keepsAnswer: true })).toMatchObject({
    ok: true,
    answer: 'thank you',
  });
});

test('a failure keeps its answer and what it asks for', async () => {
  await using server = await listenHttp((_, response) =>
    response.writeHead(429, { 'Retry-After': '3600' }).end('slow \0down'),
  );
  await using client = openClient();
  expect(await client.send(post(server.url))).toMatchObject({
    status: 429,
    retryAfterSeconds: 3600,
    answer: 'slow down',
  });
});

test.each(['301', '302', '307', '308'])('a %s is not followed', async (status) => {
  await using canary = await listenHttp((_, response) => response.end());
  await using server = await listenHttp((_, response) =>
    response.writeHead(Number(status), { location: canary.url }).end(),
  );
  await using client = openClient();
  expect(await client.send(post(server.url))).toMatchObject({ ok: false, error: 'redirect' });
  expect(canary.connects()).toBe(0);
});

test.each([
  [200, true, 0],
  [500, false, 16 * KB],
])('an endless answer with status %d is dropped after 16 KB', async (status, ok, kept) => {
  let sentBytes = () => 0;
  await using server = await listenRaw((socket) => {
    socket.write(`HTTP/1.1 ${status} X\r\nContent-Length: ${200 * KB * KB}\r\n\r\n`);
    sentBytes = pour(socket, 'x'.repeat(64 * KB));
  });
  await using client = openClient({ totalTimeoutMs: 60_000 });
  const result = await client.send(post(server.url));
  expect(result).toMatchObject({ ok, status });
  expect(result.answer).toHaveLength(kept);
  expect(result.durationMs).toBeLessThan(30_000);
  await server.hungUp();
  expect(sentBytes()).toBeLessThan(20 * KB * KB);
});

test.each([
  ['headers one by one', 'HTTP/1.1 200 OK\r\n', 'X-A: b\r\n', { ok: false, status: null, error: 'timeout' }],
  [
    'a success byte by byte',
    'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n',
    'x',
    { ok: true, status: 200, error: null },
  ],
  [
    'a failure byte by byte',
    'HTTP/1.1 500 X\r\nContent-Length: 1000\r\n\r\n',
    'x',
    { ok: false, status: 500, error: 'bad_status' },
  ],
  [
    'early hints for ever',
    '',
    'HTTP/1.1 103 Early Hints\r\n\r\n',
    { ok: false, status: null, error: 'timeout' },
  ],
  ['nothing', '', '', { ok: false, status: null, error: 'timeout' }],
])('a call to an endpoint that drips %s ends at the deadline', async (_, start, piece, expected) => {
  await using server = await listenRaw((socket) => {
    socket.write(start);
    drip(socket, piece);
  });
  await using client = openClient({ totalTimeoutMs: 1_000 });
  const result = await client.send(post(server.url));
  expect(result).toMatchObject(expected);
  expect(result.durationMs).toBeGreaterThan(990);
});

test.each([
  [
    'endless headers',
    (socket: net.Socket) =>
      void (socket.write('HTTP/1.1 200 OK\r\n') && pour(socket, 'X-A: b\r\n'.repeat(1000))),
    'headers_too_large',
  ],
  [
    'a header of 1 MB',
    (socket: net.Socket) => void socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(KB * KB)}\r\n\r\n`),
    'headers_too_large',
  ],
  ['a reset', (socket: net.Socket) => void socket.resetAndDestroy(), 'connection_lost'],
  ['hanging up', (socket: net.Socket) => void socket.end(), 'connection_lost'],
  ['another protocol', (socket: net.Socket) => void socket.write('220 smtp ready\r\n'), 'bad_answer'],
  [
    'an upgrade',
    (socket: net.Socket) => void socket.write('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    'connection_lost',
  ],
])('%s is a failure', async (_, speak, error) => {
  await using server = await listenRaw(speak);
  await using client = openClient({ totalTimeoutMs: 60_000 });
  expect(await client.send(post(server.url))).toMatchObject({ ok: false, status: null, error });
});

test('a certificate that nobody vouches for is a failure', async () => {
  let requests = 0;
  await using server = await listen(
    tls.createServer(readCredentials('untrusted'), (socket) => socket.once('data', () => (requests += 1))),
  );
  await using client = openClient();
  expect(await client.send(post(`https://localhost:${server.port}/`))).toMatchObject({
    ok: false,
    status: null,
    error: 'tls_failed',
  });
  expect(requests).toBe(0);
});

test('a success that is cut off after its status line is a success', async () => {
  await using server = await listenRaw((socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx', () => socket.resetAndDestroy()),
  );
  await using client = openClient();
  expect(await client.send(post(server.url))).toMatchObject({ ok: true, status: 200, error: null });
});

test('a closed port, an unknown name and a malformed call are failures, not exceptions', async () => {
  const { port, ...server } = await listenHttp(() => undefined);
  await server[Symbol.asyncDispose]();
  await using client = openClient({ lookup: () => Promise.reject(new Error('ENOTFOUND')) });
  const errors = await Promise.all(
    [
      post(`http://127.0.0.1:${port}/`),
      post('http://nowhere.example/'),
      post('no url'),
      post('ftp://example.com/'),
      { ...post('http://127.0.0.1/'), headers: { 'X-A': '日本' } },
    ].map(async (call) => (await client.send(call)).error),
  );
  expect(errors).toEqual([
    'connect_failed',
    'connect_failed',
    'invalid_call',
    'invalid_call',
    'invalid_call',
  ]);
});

test.each([
  ['a name server', 'http://slow.example/'],
  ['a TLS handshake', undefined],
])('%s that never answers ends at the connect timeout', async (_, url) => {
  await using server = await listen(net.createServer());
  await using client = openClient({
    connectTimeoutMs: 100,
    totalTimeoutMs: 60_000,
    lookup: () => new Promise(() => undefined),
  });
  const result = await client.send(post(url ?? `https://127.0.0.1:${server.port}/`));
  expect(result).toMatchObject({ ok: false, error: 'timeout' });
  expect(result.durationMs).toBeLessThan(30_000);
});

test.each([
  ['resets each connection', (socket: net.Socket) => void socket.resetAndDestroy()],
  ['closes each connection', (socket: net.Socket) => void socket.end()],
  ['speaks no TLS', (socket: net.Socket) => void socket.write('220 smtp ready\r\n')],
  ['never answers', () => undefined],
])('calls that wait for a connection to an endpoint that %s fail one by one', async (_, speak) => {
  await using server = await listen(net.createServer(speak));
  await using client = openClient({ connectionsPerOrigin: 4, connectTimeoutMs: 30, totalTimeoutMs: 5_000 });

  const results = await Promise.all(
    Array.from({ length: 8 }, () => client.send(post(`https://127.0.0.1:${server.port}/`))),
  );

  for (const { error } of results) expect(['connect_failed', 'tls_failed', 'timeout']).toContain(error);
  await waitFor(() => server.connects() >= 8); // the server may learn of a connection after its client has left
  expect(server.connects()).toBe(8);
});

test('calls that wait for a connection to a port that refuses fail one by one', async () => {
  const { port, ...server } = await listenHttp(() => undefined);
  await server[Symbol.asyncDispose]();
  await using client = openClient();

  const results = await Promise.all(
    Array.from({ length: 100 }, () => client.send(post(`https://127.0.0.1:${port}/`))),
  );

  expect(new Set(results.map(({ error }) => error))).toEqual(new Set(['connect_failed']));
});

test('calls that wait for a connection to a forbidden address fail, however many they are', async () => {
  await using client = openClient({ allowPrivate: false, connectionsPerOrigin: 1, totalTimeoutMs: 60_000 });

  const results = await Promise.all(
    Array.from({ length: 10_000 }, () => client.send(post('http://127.0.0.1/'))),
  );

  expect(new Set(results.map(({ error }) => error))).toEqual(new Set(['endpoint_forbidden']));
});

test('after a failed call a waiting one is sent on a new connection', async () => {
  let requests = 0;
  await using server = await listenRaw((socket) => {
    requests += 1;
    if (requests === 1) socket.resetAndDestroy();
    else socket.end('HTTP/1.1 204 No Content\r\n\r\n');
  });
  await using client = openClient({ connectionsPerOrigin: 1 });

  const results = await Promise.all([client.send(post(server.url)), client.send(post(server.url))]);

  expect(results.map(({ error }) => error)).toEqual(['connection_lost', null]);
  expect(server.connects()).toBe(2);
});

test('a closed client finishes what is under way and takes no more', async () => {
  await using server = await listenHttp((_, response) => setTimeout(() => response.end(), 50));
  const client = openClient();
  const underWay = client.send(post(server.url));
  await client.close();
  expect(await underWay).toMatchObject({ ok: true });
  expect(await client.send(post(server.url))).toMatchObject({ ok: false, error: 'client_closed' });
});
