import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { SMS_LANES } from '@signalbox/domain/lane';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { newSubmission, openRows, storeReadyBatches } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { listMessages } from '../messages/list.ts';
import { erasePerson } from '../ops/erasure.ts';
import { listLaneBacklogs } from '../ops/lanes.ts';
import { fanOutFairly } from './fair-fan-out.ts';
import { listReady } from './ready-batches.ts';
import { countReady, listStarvedLanes } from './ready.ts';
import { type NewSubmission, fanOut, insertSubmissions } from './submissions.ts';

const SHARE = { budget: 1_000, allowances: new Map(), after: null, quiet: [] };
const PERSON = '919800000001';

test('a submission that its job fans out is never listed by itself', async () => {
  await using rows = await openRows();
  const ids = await store(rows.db, [newSubmission(), newSubmission()]);

  await fanOut(rows.db, ids, LEASE_SECONDS);
  await makeDue(rows.db);

  expect(await listStarvedLanes(rows.db, 'sms')).toEqual([]);
  expect(await rows.db.query('SELECT id FROM ready_sms')).toEqual([]);
  expect(await rows.db.query('SELECT id FROM ready_batch')).toEqual([]);
});

test('a submission whose job was lost is listed once it is due, and a round finds it', async () => {
  await using rows = await openRows();
  const [done, lost] = await store(rows.db, [newSubmission(), newSubmission()]);
  await fanOut(rows.db, [done!], LEASE_SECONDS);
  expect(await listStarvedLanes(rows.db, 'sms')).toEqual([]);
  expect(await countBatches(rows.db)).toBe(1);

  await makeDue(rows.db);

  expect(await listStarvedLanes(rows.db, 'sms')).toEqual(['TRANS']);
  const { chunks } = await fanOutFairly(rows.db, 'TRANS', SHARE, LEASE_SECONDS);
  expect(chunks.map(({ id }) => id)).toEqual([lost]);
  expect(await rows.db.query('SELECT id FROM ready_sms')).toEqual([]);
});

test('the rest of a large submission is listed when its batch is due', async () => {
  await using rows = await openRows();
  const recipients = Array.from({ length: 1_200 }, (_, i) => String(919_800_000_000 + i));
  const [id] = await store(rows.db, [newSubmission({ recipients })]);
  await fanOut(rows.db, [id!], LEASE_SECONDS);

  await listReady(rows.db, ['TRANS'], 'oldest');

  expect(await rows.db.query('SELECT id, messages FROM ready_sms')).toEqual([{ id, messages: 700 }]);
});

test('batches of other lanes, and those that are not due, stay', async () => {
  await using rows = await openRows();
  await store(rows.db, [newSubmission({ lane: 'OTP' }), newSubmission({ lane: 'PROMO' })]);

  await listReady(rows.db, SMS_LANES, 'due');
  expect(await countBatches(rows.db)).toBe(2);

  await listReady(rows.db, ['OTP'], 'oldest');
  expect(await rows.db.query('SELECT lane FROM ready_batch')).toEqual([{ lane: 'PROMO' }]);
  expect(await rows.db.query('SELECT lane FROM ready_sms')).toEqual([{ lane: 'OTP' }]);
});

test('submissions that wait are not listed', async () => {
  await using rows = await openRows();
  const [, paced] = await store(rows.db, [newSubmission({ waits: true }), newSubmission()]);
  await rows.db.query('UPDATE submission SET waits = true, listed = false WHERE id = $1', [paced]);

  await listReady(rows.db, SMS_LANES, 'oldest');

  expect(await rows.db.query('SELECT id FROM ready_sms')).toEqual([]);
});

test('two workers list different batches, and neither waits', async () => {
  await using rows = await openRows();
  const [first] = await store(rows.db, [newSubmission()]);
  await rows.db.transaction(async (other) => {
    await listReady(other, SMS_LANES, 'oldest');
    const [second] = await store(rows.db, [newSubmission()]);
    await listReady(rows.db, SMS_LANES, 'oldest');
    expect(await rows.db.query('SELECT id FROM ready_sms')).toEqual([{ id: second }]);
  });
  expect(await rows.db.query('SELECT id FROM ready_sms ORDER BY id LIMIT 1')).toEqual([{ id: first }]);
});

test.each([
  { limit: 'batches', batches: 1_001, size: 1 },
  { limit: 'submissions', batches: 3, size: 2_500 },
])('a call reads a bounded number of $limit of each lane', async ({ batches, size }) => {
  await using rows = await openRows();
  await storeReadyBatches(rows.db, batches, size);
  await store(rows.db, [newSubmission({ lane: 'OTP' })]);

  expect(await listReady(rows.db, SMS_LANES, 'oldest')).toBe(true);
  expect(await rows.db.query('SELECT lane FROM ready_batch')).toEqual([{ lane: 'TRANS' }]);
  expect(await listReady(rows.db, SMS_LANES, 'oldest')).toBe(false);
  expect(await countBatches(rows.db)).toBe(0);
});

test('the newest batches are listed first when they are asked for', async () => {
  await using rows = await openRows();
  await storeReadyBatches(rows.db, 1_001, 1);
  const [newest] = await store(rows.db, [newSubmission()]);

  await listReady(rows.db, ['TRANS'], 'newest');

  expect(await rows.db.query('SELECT id FROM ready_sms WHERE id = $1', [newest])).toHaveLength(1);
  expect(await countBatches(rows.db)).toBe(2);
});

test('sends in batches count as ready once they should be listed', async () => {
  await using rows = await openRows();
  await store(rows.db, [newSubmission(), newSubmission()]);
  const count = async () => (await countReady(rows.db, 'sms')).find(({ lane }) => lane === 'TRANS')?.count;
  expect(await count()).toBe(0);

  await rows.db.query(`UPDATE ready_batch SET due_at = now() - interval '2 seconds'`);
  expect(await count()).toBe(2);
});

test('what is not listed one by one is found by its recipient, by operators and by an erasure', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'Shop')`, [accountId]);
  const given = { accountId, recipients: [PERSON] };
  const [id, sent] = await store(rows.db, [newSubmission(given), newSubmission(given)]);
  await fanOut(rows.db, [sent!], LEASE_SECONDS);
  await rows.db.query(`UPDATE message SET status = 'DELIVERED'`);

  const { messages } = await listMessages(rows.db, accountId, { recipient: PERSON }, 10);
  expect(new Set(messages.map(({ submissionId }) => submissionId))).toEqual(new Set([id, sent]));
  expect(await erasePerson(rows.db, PERSON)).toMatchObject({ open: 1 });
  expect(await listLaneBacklogs(rows.db, 10)).toEqual([]);

  await makeDue(rows.db);
  await rows.db.query(`UPDATE ready_batch SET due_at = due_at - interval '2 seconds'`);
  expect(await listLaneBacklogs(rows.db, 10)).toMatchObject([{ accountId, lane: 'TRANS', ready: 1 }]);
});

async function store(db: EntityManager, submissions: NewSubmission[]): Promise<string[]> {
  await insertSubmissions(db, submissions);
  return submissions.map(({ id }) => id);
}

async function makeDue(db: EntityManager): Promise<void> {
  await db.query(`UPDATE ready_batch SET due_at = now()`);
  await db.query(`UPDATE submission SET due_at = now() - interval '2 seconds'`);
}

async function countBatches(db: EntityManager): Promise<number> {
  const [row]: [{ count: number }] = await db.query('SELECT count(*)::integer AS count FROM ready_batch');
  return row.count;
}
