import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { type MessageKey, messageId } from '@signalbox/domain/message-id';
import { countPages } from '@signalbox/test/count-pages';
import { accept, insertLargeSends, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { discardParked } from '../ops/parked.ts';
import { deleteOldest } from '../ops/retention.ts';
import { fanOut } from '../submissions/submissions.ts';
import { setAside } from '../submissions/set-aside.ts';
import { type MessageFilter, listMessages } from './list.ts';

async function discard(db: EntityManager, id: string): Promise<void> {
  await setAside(db, 'sms', id);
  await discardParked(db, 'submission', [{ id, n: 0 }], { reason: 'damaged', actor: 'cli' });
}

/** All pages of two messages. */
async function listAll(db: EntityManager, accountId: string, filter: MessageFilter): Promise<string[]> {
  const found: string[] = [];
  let before: MessageKey | undefined;
  do {
    const { messages, next } = await listMessages(db, accountId, filter, 2, before);
    found.push(...messages.map(({ submissionId, n }) => messageId(submissionId, n)));
    before = next ?? undefined;
  } while (before);
  return found;
}

test('the messages of a discarded send are found as failed, and by their errCode', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  const people = ['919800000001', '919800000002', '919800000003'];
  const [first, failed, , last] = [
    await accept(rows.db, { accountId, recipients: people }),
    await accept(rows.db, { accountId }),
    await accept(rows.db, { accountId }),
    await accept(rows.db, { accountId, recipients: people }),
  ];
  await discard(rows.db, first.id);
  await discard(rows.db, last.id);
  await discard(rows.db, (await accept(rows.db)).id);
  await fanOut(rows.db, [failed.id], LEASE_SECONDS);
  await rows.db.query(`UPDATE message SET status = 'FAILED', failed_at = now(), err_code = '001'`);

  const keysOf = (id: string): string[] => [3, 2, 1].map((n) => messageId(id, n));
  expect(await listAll(rows.db, accountId, { statuses: ['FAILED'] })).toEqual([
    ...keysOf(last.id),
    messageId(failed.id, 1),
    ...keysOf(first.id),
  ]);
  expect(await listAll(rows.db, accountId, { errCode: '902' })).toEqual([
    ...keysOf(last.id),
    ...keysOf(first.id),
  ]);
  expect(await listAll(rows.db, accountId, { statuses: ['FAILED'], submissionId: first.id })).toEqual(
    keysOf(first.id),
  );
});

test('a page of failed messages reads the recipients of the discarded sends on it only', async () => {
  await using rows = await openRows();
  const accountId = await insertLargeSends(rows.db);
  const sends: { id: string }[] = await rows.db.query('SELECT id FROM submission');
  for (const { id } of sends) await discard(rows.db, id);

  const pages = await countPages(rows.db, (db) => listMessages(db, accountId, { statuses: ['FAILED'] }, 50));

  expect(pages).toBeLessThan(400);
});

test('retention forgets a discarded send with its submission', async () => {
  await using rows = await openRows();
  const id = '01900000-0000-7000-8000-000000000001';
  await accept(rows.db, { id });
  await discard(rows.db, id);
  await rows.db.query(
    `UPDATE submission SET fanned_out_at = now() - interval '400 days', expires_at = now() - interval '400 days'`,
  );

  await deleteOldest(rows.db, 90);

  expect(await rows.db.query('SELECT FROM discarded_send')).toEqual([]);
});
