import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { accept, newChat, newSubmission, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { readyShares } from './ready-shares.ts';
import { type NewSubmission, insertSubmissions } from './submissions.ts';

const [BULK, OTHER] = [randomUUIDv7(), randomUUIDv7()];

test('while sends are late, an account with many of them leaves others a share', async () => {
  await using rows = await openRows();
  await addWaiting(rows.db, 60, { accountId: BULK }, 10);
  const [send] = await addWaiting(rows.db, 1, { accountId: OTHER, lane: 'OTP' }, 1.5);
  const [later] = await addWaiting(rows.db, 1, { accountId: OTHER }, -60);

  expect((await readyShares(rows.db, 'sms')).toSorted()).toEqual(['OTP', 'TRANS']);

  const ready: { id: string; accountId: string }[] = await rows.db.query(
    `SELECT id, account_id AS "accountId" FROM ready_sms`,
  );
  expect(ready.filter(({ accountId }) => accountId === OTHER)).toEqual([{ id: send, accountId: OTHER }]);
  expect(ready).toHaveLength(26);
  expect(await rows.db.query(`SELECT waits, listed FROM submission WHERE id = $1`, [later])).toEqual([
    { waits: true, listed: false },
  ]);
});

test('accounts behind the first hundred get their share when one before them is drawn', async () => {
  await using rows = await openRows();
  const last = 'ffffffff-ffff-7fff-bfff-fffffffffff0';
  const before = 'ffffffff-ffff-7fff-bfff-ffffffffff00';
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'drawn')`, [before]);
  for (let i = 0; i < 100; i += 1) await addWaiting(rows.db, 1, { accountId: randomUUIDv7() }, 10);
  await addWaiting(rows.db, 1, { accountId: last }, 10);

  await readyShares(rows.db, 'sms');

  expect(await rows.db.query(`SELECT FROM ready_sms WHERE account_id = $1`, [last])).toHaveLength(1);
});

test('sends that are not late, and those of another channel, are left alone', async () => {
  await using rows = await openRows();
  const due = await rows.db.transaction(async (db) => {
    await addWaiting(db, 2, { accountId: BULK }, 0);
    await db.query(`UPDATE submission SET due_at = now() - interval '0.9 seconds'`);
    return readyShares(db, 'sms');
  });
  await rows.db.query(`DELETE FROM submission`);
  const chats = Array.from({ length: 3 }, () => newChat({ accountId: OTHER, waits: true, sendAt: ago(10) }));
  await insertSubmissions(rows.db, chats);

  expect(due).toEqual([]);
  expect(await readyShares(rows.db, 'sms')).toEqual([]);
  expect(await readyShares(rows.db, 'chatapp')).toEqual(['CHAT']);

  expect(await rows.db.query(`SELECT FROM ready_sms`)).toEqual([]);
  expect(await rows.db.query(`SELECT FROM ready_chat`)).toHaveLength(3);
  await accept(rows.db); // it is ready already, so it cannot be late
  expect(await readyShares(rows.db, 'chatapp')).toEqual([]);
});

/** Stores sends that were due some seconds ago. Returns their ids. */
async function addWaiting(
  db: EntityManager,
  count: number,
  given: Partial<NewSubmission>,
  seconds: number,
): Promise<string[]> {
  const sends = Array.from({ length: count }, () =>
    newSubmission({ ...given, waits: true, sendAt: ago(seconds) }),
  );
  await insertSubmissions(db, sends);
  return sends.map(({ id }) => id);
}

function ago(seconds: number): Date {
  return new Date(Date.now() - seconds * 1_000);
}
