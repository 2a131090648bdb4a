import { expect, test } from '@jest/globals';
import fastify from 'fastify';
import type { Caller, CallerRequest } from '../auth/caller.ts';
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

  await Promise.all(accounts.map((account) => t.send(account, { text: 'a'.repeat(100_000) })));

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

/** A server that notes the account of each body that it has read, and the event-loop tick. */
function setup() {
  const instance = fastify();
  const read: string[] = [];
  const readInTick: number[] = [];
  let tick = 0;
  let ticker = setImmediate(function count() {
    tick += 1;
    ticker = setImmediate(count);
  });
  instance.addHook('onRequest', (request: CallerRequest, _reply, done) => {
    request.caller = { accountId: String(request.headers['account']) } as Caller;
    done();
  });
  readJsonBodies(instance);
  instance.setErrorHandler((_error, _request, reply) => reply.code(400).send());
  instance.post('/', (request: CallerRequest, reply) => {
    read.push(request.caller!.accountId);
    readInTick.push(tick);
    return reply.send();
  });
  return {
    read,
    readInTick,
    send: async (account: string, payload: object): Promise<number> => {
      const headers = { account };
      return (await instance.inject({ method: 'POST', url: '/', headers, payload })).statusCode;
    },
    [Symbol.asyncDispose]: () => {
      clearImmediate(ticker);
      return instance.close();
    },
  };
}
