import { expect, test } from '@jest/globals';
import { countPages } from '@signalbox/test/count-pages';
import { firstIdAt } from '@signalbox/domain/id-time';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type TestRows, newSubmission, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { openDataSource } from '../core/data-source.ts';
import { insertSubmissions } from '../submissions/submissions.ts';
import { advanceStatistics, sweepMinutes } from './minutes.ts';

const ACCOUNT = '01900000-0000-7000-8000-00000000000a';
const MINUTE = 60_000;

/** A whole minute, three hours ago. */
const AT = Math.floor(Date.now() / MINUTE) * MINUTE - 180 * MINUTE;

/** Three pieces. */
const MANY = 25_000;

test('a large minute is counted in pieces of about 10,000 messages', async () => {
  await using rows = await openMinute();
  const passes: object[] = [];
  for (let pass = 0; pass < 3; pass += 1) {
    await advance(rows.db);
    passes.push({ found: await acceptedIn(rows.db, 'found'), counted: await acceptedIn(rows.db, 'minute') });
  }

  expect(passes).toEqual([
    { found: 10_000, counted: 0 },
    { found: 20_001, counted: 0 },
    { found: 0, counted: MANY },
  ]);
  expect(await advance(rows.db)).toBe(0);
  expect(await countsOf(rows.db)).toEqual(allTables({ accepted: MANY, submitted: MANY, delivered: MANY }));
});

test('a piece divides no submission', async () => {
  await using rows = await openRows();
  const recipients = Array.from({ length: 4_000 }, (_, i) => String(919800000000 + i));
  for (const second of [1, 2, 3, 4])
    await insertSubmissions(rows.db, [newSubmission({ id: idAt(second), accountId: ACCOUNT, recipients })]);
  await rows.db.query(
    `INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until)
     SELECT id, n, account_id, recipient, 'PENDING', 1, now()
       FROM submission, unnest(recipients) WITH ORDINALITY AS r(recipient, n)`,
  );

  await advance(rows.db);
  expect(await acceptedIn(rows.db, 'found')).toBe(8_000);
  await advance(rows.db);
  expect(await countsOf(rows.db)).toEqual(allTables({ accepted: 16_000 }));
});

test('a count whose worker was killed continues where its last piece ended', async () => {
  await using rows = await openMinute();
  await advance(rows.db);
  const killed = rows.db.transaction(async (db) => {
    await advance(db);
    await db.query('SELECT pg_terminate_backend(pg_backend_pid())');
  });
  await expect(killed).rejects.toThrow();
  expect(await acceptedIn(rows.db, 'found')).toBe(10_000);

  while ((await advance(rows.db)) > 0);

  expect(await countsOf(rows.db)).toEqual(allTables({ accepted: MANY, submitted: MANY, delivered: MANY }));
});

test('a message that is stored behind the last piece is left to the next count', async () => {
  await using rows = await openMinute();
  await advance(rows.db);
  await insertSubmissions(rows.db, [newSubmission({ id: idAt(1), accountId: ACCOUNT })]);

  while ((await advance(rows.db)) > 0);
  expect(await acceptedIn(rows.db, 'minute')).toBe(MANY);
  while ((await advance(rows.db, 200)) > 0);
  expect(await countsOf(rows.db)).toEqual(
    allTables({ accepted: MANY + 1, submitted: MANY, delivered: MANY }),
  );
});

test('a count is not the last when a transaction ended while it was under way', async () => {
  await using rows = await openMinute();
  await using late = await openLate(rows);
  await late.db.query('BEGIN');
  await insertSubmissions(late.db, [newSubmission({ id: idAt(1), accountId: ACCOUNT })]);
  const hour = 3_600;
  await rows.db.query(`INSERT INTO message_stat_build (minute, due_at) VALUES ($1, $1)`, [new Date(AT)]);
  await advanceMinute(rows.db, hour); // sets the barrier
  await advanceMinute(rows.db, hour + 10); // counts a piece
  await late.db.query('COMMIT');
  await advanceMinute(rows.db, hour + 20);
  await advanceMinute(rows.db, hour + 30);
  expect(await acceptedIn(rows.db, 'minute')).toBe(MANY);

  let seconds = hour + 100;
  const hasAll = async (): Promise<boolean> => {
    await advanceMinute(rows.db, (seconds += 100));
    return (await acceptedIn(rows.db, 'minute')) === MANY + 1;
  };
  await waitFor(hasAll, { otherwise: 'the late message is not counted' });
});

test('the sweep deletes what was found of a minute that is counted no more', async () => {
  await using rows = await openMinute();
  await advance(rows.db);
  await rows.db.query(`UPDATE message_stat_build SET due_at = NULL`);
  await rows.db.query(`INSERT INTO message_stat_build (minute) VALUES (now())`);

  await sweepMinutes(rows.db, new Date(AT + 49 * 60 * MINUTE));

  expect(await rows.db.query('SELECT FROM message_stat_found')).toEqual([]);
});

test('the sweep of minutes reads no account', async () => {
  await using rows = await openRows();
  await rows.db.query(`INSERT INTO account (id, name) SELECT uuidv7(), 'many' FROM generate_series(1, 2000)`);
  await rows.db.query('ANALYZE account');

  expect(await countPages(rows.db, (counted) => sweepMinutes(counted, new Date()))).toBeLessThan(20);
});

test('the sweep deletes one minute at a time', async () => {
  await using rows = await openRows();
  await rows.db.query(
    `INSERT INTO message_stat_build (minute, due_at)
     SELECT date_trunc('minute', now()) - make_interval(mins => i), NULL FROM generate_series(0, 3) AS i`,
  );
  const deleted: number[] = [];

  for (let i = 0; i < 4; i += 1)
    deleted.push(await sweepMinutes(rows.db, new Date(Date.now() + 49 * 60 * MINUTE)));

  expect(deleted).toEqual([1, 1, 1, 0]);
});

const idAt = (second: number): string => firstIdAt(AT + second * 1_000).replace('0000-0000', '7000-8000');

/** Opens a database with a minute of MANY messages, each delivered. */
async function openMinute(): Promise<TestRows> {
  const rows = await openRows();
  const id = (kind: string): string =>
    `(lpad(to_hex($1::bigint + i), 12, '0') || '7${kind}8000' || lpad(to_hex(i), 12, '0'))::uuid`;
  const from = `FROM generate_series(1, ${MANY}) AS i`;
  for (const statement of [
    `INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, recipients, credits, accepted_at)
     SELECT ${id('000')}, '${ACCOUNT}', 'sms', 'text', 'TRANS', 'SIGNALBX', '{}', '{919800000001}', 1, to_timestamp($1 / 1000) ${from}`,
    `INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until, gateway, sent_at, delivered_at, moved_by)
     SELECT ${id('000')}, 1, '${ACCOUNT}', '919800000001', 'DELIVERED', 1, now(), 'simulator', now(), now(), ARRAY[${id('001')}] ${from}`,
    `INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at, settled_at)
     SELECT ${id('001')}, 'simulator', ${id('000')}, 1, 'DELIVERED', '000', '', now(), now() ${from}`,
  ])
    await rows.db.query(statement, [AT]);
  return rows;
}

/** Makes one pass of the duty, as at `seconds` after AT. */
const advance = (db: EntityManager, seconds = 50): Promise<number> =>
  advanceStatistics(db, 90, new Date(AT + seconds * 1_000));

/** Makes one pass of the duty for the minute of AT alone. */
async function advanceMinute(db: EntityManager, seconds: number): Promise<void> {
  await db.query(
    `INSERT INTO message_stat_build (minute)
     SELECT generate_series($1::timestamptz, $2::timestamptz, interval '1 minute')
     ON CONFLICT (minute) DO UPDATE SET due_at = NULL WHERE message_stat_build.minute > $3`,
    [new Date(AT + MINUTE), new Date(AT + seconds * 1_000), new Date(AT)],
  );
  await advance(db, seconds);
}

async function acceptedIn(db: EntityManager, table: 'found' | 'minute'): Promise<number> {
  const [{ messages }]: [{ messages: number }] = await db.query(
    `SELECT COALESCE(sum(messages), 0)::integer AS messages FROM message_stat_${table} WHERE outcome = 'accepted'`,
  );
  return messages;
}

const TABLES = ['minute', 'quarter', 'day'] as const;
type Counts = Record<string, number>;

const allTables = (counts: Counts): Record<string, Counts> =>
  Object.fromEntries(TABLES.map((table) => [table, counts]));

/** The messages by outcome in each table of statistics. */
async function countsOf(db: EntityManager): Promise<Record<string, Counts>> {
  const counts = async (table: string): Promise<[string, Counts]> => {
    const rows: { outcome: string; messages: number }[] = await db.query(
      `SELECT outcome, sum(messages)::integer AS messages FROM message_stat_${table} GROUP BY outcome`,
    );
    return [table, Object.fromEntries(rows.map(({ outcome, messages }) => [outcome, messages]))];
  };
  return Object.fromEntries(await Promise.all(TABLES.map(counts)));
}

async function openLate({ url }: TestRows): Promise<AsyncDisposable & { db: EntityManager }> {
  const source = await openDataSource({ url, applicationName: 'late', poolSize: 1, commit: 'durable' });
  return { db: source.manager, [Symbol.asyncDispose]: () => source.destroy() };
}
