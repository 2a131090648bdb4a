import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { Cursors } from './cursor.ts';
import { IdempotencyKeys, CallsInProgress, replayed } from './idempotency.ts';

const keys = new IdempotencyKeys('secret of this installation');

test('the hash of a body depends on the body and the installation', () => {
  const hashOf = (request: object, reader = keys): string | undefined =>
    reader.read('/v1/sms', 'k', request)?.bodyHash.toString('hex');

  expect(hashOf({ text: 'a' })).toBe(hashOf({ text: 'a' }));
  expect(hashOf({ text: 'b' })).not.toBe(hashOf({ text: 'a' }));
  expect(hashOf({ text: 'a' }, new IdempotencyKeys('another secret'))).not.toBe(hashOf({ text: 'a' }));
});

test('the hash of a body is not its plain hash', () => {
  const body = { text: 'Your code is 483920' };

  expect(keys.read('/v1/sms', 'k', body)?.bodyHash).not.toEqual(
    createHash('sha256').update(JSON.stringify(body)).digest(),
  );
});

test('an absent key is undefined, and an unprintable key is refused', () => {
  expect(keys.read('/v1/sms', undefined, {})).toBeUndefined();
  expect(keys.read('/v1/sms', ' ~'.repeat(127), {})?.key).toHaveLength(254);
  for (const key of ['', 'a\n', 'é', 'x'.repeat(256)])
    expect(() => keys.read('/v1/sms', key, {})).toThrow('Idempotency-Key');
});

test('repeats and cursors from before a rotation of the secret stay valid', () => {
  const first = keys.read('/v1/sms', 'k', { text: 'a' })!;
  const rotated = new IdempotencyKeys('new secret', 'secret of this installation');
  const reply = { header: () => undefined } as unknown as FastifyReply;
  const repeat = (text: string): string =>
    replayed(reply, rotated.read('/v1/sms', 'k', { text })!, first, 'first answer');
  const [account, row] = [crypto.randomUUID(), crypto.randomUUID()];
  const cursor = new Cursors('secret of this installation').encode('webhooks', account, row);

  expect(repeat('a')).toBe('first answer');
  expect(() => repeat('b')).toThrow('another body');
  expect(new Cursors('new secret', 'secret of this installation').decode('webhooks', account, cursor)).toBe(
    row,
  );
  expect(() => new Cursors('new secret').decode('webhooks', account, cursor)).toThrow('cursor');
});

test('a second call with a running key fails, and may run once the first has ended', async () => {
  const calls = new CallsInProgress();
  const call = keys.read('/v1/sms', 'k', {});
  const first = Promise.withResolvers<string>();

  const running = calls.run('account', call, () => first.promise);
  await expect(calls.run('account', call, () => Promise.resolve('second'))).rejects.toMatchObject({
    code: 'idempotency_in_progress',
  });
  await expect(calls.run('other account', call, () => Promise.resolve('theirs'))).resolves.toBe('theirs');
  first.reject(new Error('down'));
  await expect(running).rejects.toThrow('down');

  await expect(calls.run('account', call, () => Promise.resolve('third'))).resolves.toBe('third');
});

test('a cursor shows no digits of its number, and survives a rotation of the secret', () => {
  const cursor = new Cursors('old').encodeDigits('senders', 'account', '15550100001');

  expect(Buffer.from(cursor, 'base64url').toString('hex')).not.toContain('15550100');
  expect(new Cursors('new', 'old').decodeDigits('senders', 'account', cursor)).toBe('15550100001');
  expect(() => new Cursors('old').decode('senders', 'account', cursor)).toThrow('cursor');
});
