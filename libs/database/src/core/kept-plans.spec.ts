import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import type { MessageKey } from '@signalbox/domain/message-id';
import { newReport, newSubmission, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { upsertOptOuts } from '../accounts/opt-outs.ts';
import { recordSubmits } from '../messages/messages.ts';
import { applyReports, insertReports, listUnmoved } from '../reports/reports.ts';
import { fanOutFairly } from '../submissions/fair-fan-out.ts';
import { type NewSubmission, fanOut, insertSubmissions } from '../submissions/submissions.ts';
import { recordPushes } from '../webhooks/pushes.ts';

/*
 * A statement is prepared once per connection, so its plan may date from a time when the tables were almost empty. Such a plan
 * must still look up a batch by its keys when a send to thousands follows.
 */

const MANY = 200;

/** Rows of one table that a statement may read for each of its messages. Ten times as many are stored before. */
const READS_PER_MESSAGE = 3;

const numbers = Array.from({ length: MANY }, (_, i) => String(919811000000 + i));

test.each([
  { tables: 'never analyzed', sends: 'one call', recipients: [numbers] },
  { tables: 'never analyzed', sends: 'one call each', recipients: numbers.map((each) => [each]) },
  { tables: 'analyzed', sends: 'one call', recipients: [numbers] },
  { tables: 'analyzed', sends: 'one call each', recipients: numbers.map((each) => [each]) },
])('many messages of $sends are looked up by plans of almost empty tables, $tables', async (given) => {
  await using rows = await openRows();
  await rows.db.transaction(async (db) => {
    await db.query(`SET LOCAL plan_cache_mode = force_generic_plan`);
    const accountId = await addAccount(db);
    if (given.tables === 'analyzed') await analyze(db, accountId);
    await live(db, accountId, [['919800000001']]);
    await optOut(db, accountId);
    for (let run = 0; run < 5; run += 1) await live(db, accountId, given.recipients);

    const reads = await live(db, accountId, given.recipients);

    const most = Object.entries(reads).filter(([, count]) => count > READS_PER_MESSAGE * MANY);
    expect(most).toEqual([]);
    expect(reads['applyReports message']).toBe(MANY);
  });
});

/** Analyzes tables of a few messages, as autovacuum may before a large send. */
async function analyze(db: EntityManager, accountId: string): Promise<void> {
  for (let run = 0; run < 4; run += 1) await live(db, accountId, [['919800000001']]);
  await db.query('ANALYZE');
}

async function addAccount(db: EntityManager): Promise<string> {
  const accountId = randomUUIDv7();
  await db.query(`INSERT INTO account (id, name) VALUES ($1, 'A')`, [accountId]);
  return accountId;
}

/** Stores opt-outs of others than the recipients. */
async function optOut(db: EntityManager, accountId: string): Promise<void> {
  const optOuts = numbers.map((recipient) => ({
    id: randomUUIDv7(),
    recipient: `1${recipient}`,
    sender: '',
    source: 'api' as const,
    reason: null,
    createdAt: new Date(),
  }));
  await upsertOptOuts(db, accountId, optOuts);
}

/** Rows that statements read, by the name of the statement and the table. */
type Reads = Record<string, number>;

/** Runs the statements of the life of SMS. The claims of a lane and those of named submissions get one half each. */
async function live(db: EntityManager, accountId: string, sends: string[][]): Promise<Reads> {
  const reads: Reads = {};
  const run = countReads(db, reads);
  const accept = async (): Promise<NewSubmission[]> => {
    const submissions = sends.map((recipients) => newSubmission({ accountId, recipients }));
    await run(insertSubmissions, submissions);
    return submissions;
  };
  const named = await accept();
  await run(
    fanOut,
    named.map(({ id }) => id),
    LEASE_SECONDS,
  );
  const ofLane = await accept();
  const round = { budget: 2 * MANY, allowances: new Map(), after: null, quiet: [] };
  await run(fanOutFairly, 'TRANS' as const, round, LEASE_SECONDS);
  for (const submissions of [named, ofLane]) await settle(run, keysOf(submissions));
  return reads;
}

/** Submits messages, and applies a report of each. */
async function settle(run: Run, keys: MessageKey[]): Promise<void> {
  const sent = { result: 'sent' as const, gatewayMessageId: 'x', retryAfterMs: 0 };
  const reports = keys.map(({ submissionId, n }) => newReport(submissionId, { n }));
  const ids = reports.map(({ id }) => id);
  await run(
    recordSubmits,
    'simulator',
    keys.map((key) => ({ ...key, ...sent })),
  );
  await run(insertReports, reports);
  expect(await run(applyReports, ids)).toHaveLength(keys.length);
  await run(listUnmoved, ids);
  await run(recordPushes, ids, []);
}

const keysOf = (submissions: NewSubmission[]): MessageKey[] =>
  submissions.flatMap(({ id, recipients }) => recipients.map((_, i) => ({ submissionId: id, n: i + 1 })));

type Run = <Args extends unknown[], R>(
  statement: (db: EntityManager, ...args: Args) => Promise<R>,
  ...args: Args
) => Promise<R>;

/** Runs statements, and notes in `reads` the most rows that one run of each has read. */
function countReads(db: EntityManager, reads: Reads): Run {
  return async (statement, ...args) => {
    const before = await readsByTable(db);
    const result = await statement(db, ...args);
    for (const [table, count] of Object.entries(await readsByTable(db))) {
      const name = `${statement.name} ${table}`;
      reads[name] = Math.max(reads[name] ?? 0, count - (before[table] ?? 0));
    }
    return result;
  };
}

/** Rows of each table that the transaction has read, by scans and through indexes. */
async function readsByTable(db: EntityManager): Promise<Reads> {
  const tables: { name: string; reads: number }[] = await db.query(
    `SELECT relname AS name, (seq_tup_read + idx_tup_fetch)::integer AS reads FROM pg_stat_xact_user_tables`,
  );
  return Object.fromEntries(tables.map(({ name, reads }) => [name, reads]));
}
