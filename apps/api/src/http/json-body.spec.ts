import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as sendHead } from 'node:http';
import { expect, test } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import type { Caller, CallerRequest } from '../auth/caller.ts';
import { ApiError } from '../errors/api-error.ts';
import { readJsonBodies } from './json-body.ts';

test('large bodies of an account do not delay the requests of another one', async () => {
  await using t = setup();
  const large = { text: 'a'.repeat(100_000) };
  const sent = Array.from({ length: 10 }, () => t.send('large', large));
  sent.push(t.send('other', { text: 'a' }), t.send('other', large));

  await Promise.all(sent);

  expect(t.read).toHaveLength(12);
  expect(t.read.slice(0, 3).toSorted()).toEqual(['large', 'other', 'other']);
});

test('other requests run after each large body, whatever its account', async () => {
  await using t = setup();
  const accounts = Array.from({ length: 10 }, (_, i) => String(i));

  await Promise.all(accounts.map((account) => t.send(account, { text: 'a'.repeat(1_000_000) })));

  expect(new Set(t.readInTick).size).toBe(accounts.length);
  expect(t.readInTick.at(-1)! - t.readInTick[0]!).toBeGreaterThan(3 * accounts.length);
});

test('a body has at most 10,000 members in all its objects', async () => {
  await using t = setup();
  const members = (count: number) => ({ a: Array.from({ length: count - 1 }, (_, i) => ({ [`k${i}`]: 0 })) });

  expect(await t.send('a', members(10_000))).toBe(200);
  expect(await t.send('a', members(10_001))).toBe(400);
  expect(await t.send('a', { a: Array.from({ length: 20_000 }, () => 'a:') })).toBe(200);
});

test('a large body is refused as a small one is', async () => {
  await using t = setup();

  expect(await t.send('a', { text: 'a'.repeat(100_000), __proto: '\0' })).toBe(400);
  expect(await t.send('a', { text: 'a'.repeat(100_000) })).toBe(200);
});

test('the large bodies of an account that are in progress have at most 16 MiB', async () => {
  await using t = setup();
  const url = await t.listen();
  const held = await Promise.all(Array.from({ length: 16 }, () => beginBody(url, { account: 'a' })));

  expect(await t.send('a', { text: 'a'.repeat(100_000) })).toBe(429);
  expect(await t.send('a', { text: 'a' })).toBe(200);
  expect(await t.send('b', { text: 'a'.repeat(100_000) })).toBe(200);

  for (const each of held) each.destroy();
  await Promise.all(t.closings);
  expect(await t.send('a', { text: 'a'.repeat(100_000) })).toBe(200);
});

test('the large bodies of a network without an account have at most 16 MiB, whatever their type', async () => {
  await using t = setup();
  const url = await t.listen();
  const types = ['application/json', 'multipart/form-data; boundary=b'];
  for (let i = 0; i < 16; i += 1) await t.holdBody(url, { from: '192.0.2.1', type: types[i % 2]! });
  const large = { text: 'a'.repeat(1_000_000) };

  expect(await t.send(undefined, large, '192.0.2.1')).toBe(429);
  expect(await t.send(undefined, { text: 'a' }, '192.0.2.1')).toBe(200);
  expect(await t.send(undefined, large, '192.0.2.2')).toBe(200);
});

test('the large bodies of all callers without an account have at most 64 MiB', async () => {
  await using t = setup();
  const url = await t.listen();
  const held: ClientRequest[] = [];
  for (const from of ['192.0.2.1', '192.0.2.2', '2001:db8::', '2001:db8:0:1::'])
    for (let i = 0; i < 16; i += 1) held.push(await t.holdBody(url, { from }));
  const large = { text: 'a'.repeat(1_000_000) };

  expect(await t.send(undefined, large, '192.0.2.3')).toBe(429);
  expect(await t.send('a', large)).toBe(200);

  for (const each of held) each.destroy();
  await Promise.all(t.closings);
  expect(await t.send(undefined, large, '192.0.2.3')).toBe(200);
});

test.each([
  ['with', 2 ** 20],
  ['without', null],
])('a body %s a length and without an account takes the bytes that have arrived', async (_, length) => {
  await using t = setup();
  const url = await t.listen();
  const from = '192.0.2.1';
  const begun = await Promise.all(Array.from({ length: 17 }, () => beginBody(url, { from, length })));

  expect(await t.send(undefined, { text: 'a'.repeat(1_000_000) }, from)).toBe(200);

  const refused = Promise.race(begun.map(responseTo));
  for (const each of begun) each.write(Buffer.alloc(2 ** 20 - 1));
  const { statusCode, headers } = await refused;
  expect([statusCode, headers.connection]).toEqual([429, 'close']);
  expect(await t.send(undefined, { text: 'a'.repeat(1_000_000) }, '192.0.2.2')).toBe(200);
});

test('a body in chunks of one byte takes their memory', async () => {
  await using t = setup();
  const url = await t.listen();
  const from = '192.0.2.1';
  for (let i = 0; i < 16; i += 1) await t.holdBody(url, { from });
  const sent = await beginBody(url, { from, length: null });
  const refused = responseTo(sent);

  for (let i = 0; i < 4096; i += 1) sent.write('a');

  expect((await refused).statusCode).toBe(429);
});

test('a body of an account without a length that no longer fits is answered', async () => {
  await using t = setup();
  const url = await t.listen();
  for (let i = 0; i < 16; i += 1) await beginBody(url, { account: 'a' });
  const sent = await beginBody(url, { account: 'a', length: null });

  sent.write(Buffer.alloc(100_000));

  expect((await responseTo(sent)).statusCode).toBe(429);
});

test('bytes that arrive after an early answer take no room', async () => {
  await using t = setup();
  const url = await t.listen();
  for (let i = 0; i < 17; i += 1) {
    const begun = once(t.server, 'request') as Promise<[IncomingMessage]>;
    const sent = await beginBody(url, { from: '192.0.2.1', length: null, answers: 'early' });
    const [request] = await begun;
    if (!sent.writableEnded) sent.end(Buffer.alloc(2 ** 20));
    await once(request, 'end');
  }

  expect(await t.send(undefined, { text: 'a'.repeat(1_000_000) }, '192.0.2.1')).toBe(200);
});

test('a small body without a length takes no room', async () => {
  await using t = setup();
  const url = await t.listen();
  const from = '192.0.2.1';
  for (let i = 0; i < 16; i += 1) await t.holdBody(url, { from });
  const sent = await beginBody(url, { from, length: null });

  sent.end('{"text":"a"}');

  expect((await responseTo(sent)).statusCode).toBe(200);
});

test('a client that leaves while its key is looked up takes no room', async () => {
  await using t = setup();
  const url = await t.listen();
  const held = await Promise.all(
    Array.from({ length: 16 }, () => beginBody(url, { account: 'a', leaves: 'true' })),
  );

  for (const each of held) each.destroy();
  await Promise.all(t.closings);

  expect(await t.send('a', { text: 'a'.repeat(100_000) })).toBe(200);
});

test('a body with a malformed chunk leaves room for others once its connection is closed', async () => {
  await using t = setup();
  const url = await t.listen();
  const from = '192.0.2.1';

  for (let i = 0; i < 16; i += 1)
    (await t.holdBody(url, { from, length: null })).socket!.write('no chunk\r\n');
  await Promise.all(t.closings);

  expect(await t.send(undefined, { text: 'a'.repeat(1_000_000) }, from)).toBe(200);
});

test('a large body leaves room for others once it is answered', async () => {
  await using t = setup();

  for (let i = 0; i < 20; i += 1) expect(await t.send('a', { text: 'a'.repeat(1_000_000) })).toBe(200);
});

interface BegunBody {
  account?: string;
  from?: string;
  type?: string;
  /** null for a body whose length is not given. */
  length?: number | null;
  leaves?: string;
  /** `early` for an answer before the body is read. */
  answers?: string;
}

/** Sends the head of a request, by default with a body of 1 MiB; resolves when the server has begun to wait for the body. */
async function beginBody(
  url: string,
  { from, type = 'application/json', length = 2 ** 20, ...given }: BegunBody,
): Promise<ClientRequest> {
  const headers = {
    ...given,
    ...(from !== undefined && { 'x-forwarded-for': from }),
    'content-type': type,
    ...(length === null ? { 'transfer-encoding': 'chunked' } : { 'content-length': length }),
    expect: '100-continue',
  };
  const sent = sendHead(url, { method: 'POST', headers }).on('error', () => undefined);
  sent.flushHeaders();
  await once(sent, 'continue');
  return sent;
}

async function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

/** A server that notes the account of each body that it has read, and the event-loop tick. */
function setup() {
  const instance = fastify({ bodyLimit: 2 ** 20, trustProxy: true });
  const read: string[] = [];
  const readInTick: number[] = [];
  let tick = 0;
  let ticker = setImmediate(function count() {
    tick += 1;
    ticker = setImmediate(count);
  });
  let arrivedBytes = 0;
  const closings: Promise<unknown>[] = [];
  instance.server.on('request', (_request, response) => closings.push(once(response, 'close')));
  instance.addHook('onRequest', (request: CallerRequest, reply, done) => {
    const accountId = request.headers['account'];
    if (typeof accountId === 'string') request.caller = { accountId } as Caller;
    if (request.headers['leaves'] === 'true') reply.raw.once('close', () => done());
    else done();
  });
  readJsonBodies(instance);
  instance.addHook('preParsing', (request, reply, _payload, done) => {
    request.raw.on('data', ({ length }: Buffer) => {
      arrivedBytes += length;
      instance.server.emit('arrived');
    });
    if (request.headers['answers'] === 'early') void reply.send();
    else done();
  });
  instance.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
  instance.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof ApiError && error.code === 'rate_limited' ? 429 : 400).send(),
  );
  instance.post('/', (request: CallerRequest, reply) => {
    read.push(request.caller?.accountId ?? '');
    readInTick.push(tick);
    return reply.send();
  });
  return {
    server: instance.server,
    read,
    readInTick,
    closings,
    listen: () => instance.listen({ host: '127.0.0.1', port: 0 }),
    /** Sends a body but its last byte; resolves when this has arrived. */
    holdBody: async (url: string, body: BegunBody): Promise<ClientRequest> => {
      const sent = await beginBody(url, body);
      const end = arrivedBytes + 2 ** 20 - 1;
      sent.write(Buffer.alloc(2 ** 20 - 1));
      const hasArrived = (): boolean => arrivedBytes >= end;
      while (!hasArrived()) await once(instance.server, 'arrived');
      return sent;
    },
    send: async (account: string | undefined, payload: object, from = '192.0.2.9'): Promise<number> => {
      const headers = { ...(account !== undefined && { account }), 'x-forwarded-for': from };
      return (await instance.inject({ method: 'POST', url: '/', headers, payload })).statusCode;
    },
    [Symbol.asyncDispose]: () => {
      clearImmediate(ticker);
      return closeAll(instance);
    },
  };
}

function closeAll(instance: FastifyInstance): Promise<undefined> {
  instance.server.closeAllConnections();
  return instance.close();
}
