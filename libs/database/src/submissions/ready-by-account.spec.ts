import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { accept, newChat, newSubmission, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { makeReadyByAccount } from './ready-by-account.ts';
import { type NewSubmission, insertSubmissions } from './submissions.ts';

const [BULK, OTHER] = [randomUUIDv7(), randomUUIDv7()];

test('while sends are late, an account with many of them leaves others a share', async () => {
  await using rows = await openRows();
  await addWaiting(rows.db, 60, { accountId: BULK }, 10);
  const [send] = await addWaiting(rows.db, 1, { accountId: OTHER, lane: 'OTP' }, 1.5);
  const [later] = await addWaiting(rows.db, 1, { accountId: OTHER }, -60);

  const { lanes, next } = await makeReadyByAccount(rows.db, 'sms', null);
  expect([lanes.toSorted(), next]).toEqual([['OTP', 'TRANS'], null]);

  const ready: { id: string; accountId: string }[] = await rows.db.query(
    `SELECT id, account_id AS "accountId" FROM ready_sms`,
  );
  expect(ready.filter(({ accountId }) => accountId === OTHER)).toEqual([{ id: send, accountId: OTHER }]);
  expect(ready).toHaveLength(26);
  expect(await rows.db.query(`SELECT waits, listed FROM submission WHERE id = $1`, [later])).toEqual([
    { waits: true, listed: false },
  ]);
});

test('passes that continue where the last one ended reach each of 500 accounts', async () => {
  await using rows = await openRows();
  await rows.db.query(
    `INSERT INTO account (id, name) SELECT uuidv7(), 'idle' FROM generate_series(1, 20000)`,
  );
  await addSends(rows.db, 500);

  let after: string | null = null;
  const reached = [];
  for (let pass = 0; pass < 3; pass += 1) {
    after = (await makeReadyByAccount(rows.db, 'sms', after)).next;
    reached.push(await countReadyAccounts(rows.db));
  }

  expect([reached, after]).toEqual([[200, 400, 500], null]);
});

test('sends that are not late, and those of another channel, are left alone', async () => {
  await using rows = await openRows();
  const due = await rows.db.transaction(async (db) => {
    await addWaiting(db, 2, { accountId: BULK }, 0);
    await db.query(`UPDATE submission SET due_at = now() - interval '0.9 seconds'`);
    return makeReadyByAccount(db, 'sms', null);
  });
  await rows.db.query(`DELETE FROM submission`);
  const chats = Array.from({ length: 3 }, () => newChat({ accountId: OTHER, waits: true, sendAt: ago(10) }));
  await insertSubmissions(rows.db, chats);

  const nothing = { lanes: [], next: null };
  expect(due).toEqual(nothing);
  expect(await makeReadyByAccount(rows.db, 'sms', null)).toEqual(nothing);
  expect(await makeReadyByAccount(rows.db, 'chatapp', null)).toEqual({ lanes: ['CHAT'], next: null });

  expect(await rows.db.query(`SELECT FROM ready_sms`)).toEqual([]);
  expect(await rows.db.query(`SELECT FROM ready_chat`)).toHaveLength(3);
  await accept(rows.db); // it is ready already, so it cannot be late
  expect(await makeReadyByAccount(rows.db, 'chatapp', null)).toEqual(nothing);
});

/** Stores late sends of new accounts: of each more than a pass takes. */
async function addSends(db: EntityManager, accounts: number): Promise<void> {
  const sends = Array.from({ length: accounts }, () => {
    const accountId = randomUUIDv7();
    return Array.from({ length: 26 }, () => newSubmission({ accountId, waits: true, sendAt: ago(10) }));
  });
  await insertSubmissions(db, sends.flat());
}

async function countReadyAccounts(db: EntityManager): Promise<number> {
  const [row]: { count: number }[] = await db.query(
    `SELECT count(DISTINCT account_id)::integer AS count FROM ready_sms`,
  );
  return row!.count;
}

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
