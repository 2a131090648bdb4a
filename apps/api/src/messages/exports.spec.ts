import { randomUUIDv7 } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { openRows } from '@signalbox/test/rows';
import { type Exporter, Exports } from './exports.ts';
import { MessagesService } from './messages.service.ts';
import { MessageListRequest } from './message-list.dto.ts';

test('the first page of an export is charged to its account while another is active', async () => {
  await using t = await setup();
  t.throttle.noteActivity('other');

  await t.export();

  expect(t.throttle.delayMs(t.accountId)).toBeGreaterThan(0);
});

test('an export rests before its first page for what was charged before', async () => {
  await using t = await setup();
  t.throttle.noteActivity('other');
  t.throttle.charge(t.accountId, 100);
  const startedAt = performance.now();

  await t.export();

  expect(performance.now() - startedAt).toBeGreaterThan(190);
});

test('an export of the only active account is not charged', async () => {
  await using t = await setup();
  t.throttle.noteActivity(t.accountId);

  await t.export();

  expect(t.throttle.delayMs(t.accountId)).toBe(0);
});

test('exports of an account read their pages one after the other, and delay no other account', async () => {
  await using t = await setup();
  const read: string[] = [];
  const first = Promise.withResolvers<void>();
  const reading = Promise.withResolvers<void>();
  const exportOf = (accountId: string, name: string, until?: Promise<void>): Promise<Readable> =>
    t.exports.run(liveCaller(accountId), async (readPage) => {
      await readPage(async () => {
        read.push(`${name} begins`);
        reading.resolve();
        await until;
        read.push(`${name} ends`);
      });
      return Readable.from([]);
    });

  const ended = [exportOf(t.accountId, 'first', first.promise)];
  await reading.promise;
  ended.push(exportOf(t.accountId, 'second'));
  await exportOf(randomUUIDv7(), 'other');
  first.resolve();
  await Promise.all(ended);

  expect(read).toEqual([
    'first begins',
    'other begins',
    'other ends',
    'first ends',
    'second begins',
    'second ends',
  ]);
});

const liveCaller = (accountId: string): Exporter => ({ accountId, requireLive: async () => undefined });

/** Opens the export of an account without messages; the clock of the rests stands still. */
async function setup() {
  const rows = await openRows();
  const throttle = new AccountThrottle(() => 1_000);
  const exports = new Exports(rows.db, throttle);
  const unused = undefined as never;
  const messages = new MessagesService(rows.db, unused, unused, unused, unused);
  const accountId = randomUUIDv7();
  const request = new MessageListRequest();
  return {
    throttle,
    exports,
    accountId,
    /** Runs an export to its end. */
    export: async () =>
      text(
        await exports.run(liveCaller(accountId), (readPage) => messages.export(accountId, request, readPage)),
      ),
    [Symbol.asyncDispose]: () => rows[Symbol.asyncDispose](),
  };
}
