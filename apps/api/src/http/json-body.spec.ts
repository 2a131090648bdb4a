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

test('a large body is refused as a small one is', async () => {
  await using t = setup();

  expect(await t.send('a', { text: 'a'.repeat(100_000), __proto: '\0' })).toBe(400);
  expect(await t.send('a', { text: 'a'.repeat(100_000) })).toBe(200);
});

/** A server that notes the account of each body that it has read. */
function setup() {
  const instance = fastify();
  const read: string[] = [];
  instance.addHook('onRequest', (request: CallerRequest, _reply, done) => {
    request.caller = { accountId: String(request.headers['account']) } as Caller;
    done();
  });
  readJsonBodies(instance);
  instance.setErrorHandler((_error, _request, reply) => reply.code(400).send());
  instance.post('/', (request: CallerRequest, reply) => {
    read.push(request.caller!.accountId);
    return reply.send();
  });
  return {
    read,
    send: async (account: string, payload: object): Promise<number> => {
      const headers = { account };
      return (await instance.inject({ method: 'POST', url: '/', headers, payload })).statusCode;
    },
    [Symbol.asyncDispose]: () => instance.close(),
  };
}
