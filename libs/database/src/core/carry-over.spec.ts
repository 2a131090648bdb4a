import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SMS_LANES } from '@signalbox/domain/lane';
import { type TestDatabase, createDatabase } from '@signalbox/test/database';
import { DataSource, type EntityManager } from 'typeorm';
import { fanOutFairly } from '../submissions/fair-fan-out.ts';
import { makeDueReady } from '../submissions/submissions.ts';
import { claimLostReports, claimOverdue, listLostMessages } from '../ops/rescue.ts';
import { countParked } from '../ops/starts.ts';
import { listMessages } from '../messages/list.ts';
import { dataSourceOptions } from './data-source.ts';

const ACCOUNT = '019e6f0d-1a77-7c3e-8f21-7b0a9c4d5e01';
const SHARE = { budget: 10, allowances: new Map(), after: null, quiet: [] };
const NO_JOB = (): Date => new Date(Date.now() + 60_000);

/** The ids of submissions, with the messages and reports of the same number. */
const id = (n: number): string => `019e6f0d-1a77-7c3e-8f21-7b0a9c4d60${String(n).padStart(2, '0')}`;

let database: TestDatabase;
let source: DataSource;
let db: EntityManager;

/** Stores rows as the version before the tables of ready and due rows does, migrates, and stores others that way. */
beforeAll(async () => {
  database = await createDatabase();
  const options = {
    url: database.url,
    applicationName: 'carry-over',
    poolSize: 1,
    commit: 'durable',
  } as const;
  source = await new DataSource(dataSourceOptions(options)).initialize();
  db = source.manager;
  while (await exists('claim_batch')) await source.undoLastMigration({ transaction: 'none' });
  await storeAsBefore(0);
  await source.runMigrations({ transaction: 'each' });
  await storeAsBefore(10);
  await db.query(`UPDATE message SET due_at = due_at - interval '1 minute' WHERE due_at < 'infinity'`);
  await db.query(`UPDATE message_event SET due_at = due_at - interval '1 minute' WHERE due_at < 'infinity'`);
});
afterAll(async () => {
  await source.destroy();
  await database[Symbol.asyncDispose]();
});

test('ready and scheduled submissions of the previous version are fanned out', async () => {
  await db.query(`UPDATE submission SET due_at = now() WHERE waits`);

  expect(await makeDueReady(db, 'sms')).toEqual({ lanes: ['TRANS'], isFull: false });

  const { chunks } = await fanOutFairly(db, 'TRANS', SHARE, 10);
  expect(chunks.map((chunk) => chunk.id)).toEqual([id(1), id(2), id(11), id(12)]);
  expect((await fanOutFairly(db, 'TRANS', SHARE, 10)).chunks).toEqual([]);
});

test('lost and overdue messages of the previous version are found', async () => {
  const [lost] = await listLostMessages(db, SMS_LANES);

  expect(lost?.submissionIds.toSorted()).toEqual([id(3), id(13)]);
  const overdue = await claimOverdue(db, 'simulator', NO_JOB());
  expect(overdue.map(({ submissionId }) => submissionId).toSorted()).toEqual([id(4), id(14)]);
});

test('open reports of the previous version are found, and parked rows from before are counted', async () => {
  expect((await claimLostReports(db, NO_JOB(), false)).toSorted()).toEqual([id(6), id(16)]);
  expect(await countParked(db)).toMatchObject({ message: 1, message_event: 1 });
});

test('messages of the previous version are found by their recipient', async () => {
  const { messages } = await listMessages(db, ACCOUNT, { recipient: '919800000104' }, 10);

  expect(messages.map(({ submissionId }) => submissionId)).toEqual([id(14), id(4)]);
});

async function exists(table: string): Promise<boolean> {
  const [row]: { found: boolean }[] = await source.query('SELECT to_regclass($1) IS NOT NULL AS found', [
    table,
  ]);
  return row!.found;
}

/**
 * Stores a ready submission (1), a scheduled one (2), a message whose worker died (3), one without its report (4), a
 * parked one (5), an open report (6) and a parked one (7), each with `offset` added to its number.
 */
async function storeAsBefore(offset: number): Promise<void> {
  for (const n of [1, 2, 3, 4, 5]) {
    await db.query(
      `INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, recipients, credits, waits, fanned_upto, fanned_out_at)
       VALUES ($1, $2, 'sms', 'text', 'TRANS', 'SIGNALBX', '{}', ARRAY[$3], 1, $4, $5, $6)`,
      [id(n + offset), ACCOUNT, `91980000010${n}`, n === 2, n > 2 ? 1 : 0, n > 2 ? new Date() : null],
    );
  }
  await storeMessage(3 + offset, 'PENDING', 1);
  await storeMessage(4 + offset, 'SENT', 1);
  if (offset === 0) await storeMessage(5, 'PENDING', 10);
  await storeReport(6 + offset, 0);
  if (offset === 0) await storeReport(7, 10);
}

async function storeMessage(n: number, status: string, starts: number): Promise<void> {
  await db.query(
    `INSERT INTO message (submission_id, n, account_id, lane, recipient, status, credits, starts, claimed_until, gateway, sent_at)
     VALUES ($1, 1, $2, 'TRANS', $3, $4, 1, $5, now() - interval '1 minute', $6, $7)`,
    [
      id(n),
      ACCOUNT,
      `91980000010${n % 10}`,
      status,
      starts,
      status === 'SENT' ? 'simulator' : null,
      status === 'SENT' ? new Date(Date.now() - 60_000) : null,
    ],
  );
}

async function storeReport(n: number, starts: number): Promise<void> {
  await db.query(
    `INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at, received_at, starts)
     VALUES ($1, 'simulator', $1, 1, 'DELIVERED', '000', '', now(), now() - interval '15 seconds', $2)`,
    [id(n), starts],
  );
}
