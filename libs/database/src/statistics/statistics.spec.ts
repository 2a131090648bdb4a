import { randomUUID } from 'node:crypto';
import { expect, jest, test } from '@jest/globals';
import { firstIdAt } from '@signalbox/domain/id-time';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { openDataSource } from '../core/data-source.ts';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type TestRows, newReport, newSubmission, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { applyReports, insertReports } from '../reports/reports.ts';
import { fanOut, insertSubmissions } from '../submissions/submissions.ts';
import { recordSubmits } from '../messages/submits.ts';
import { isEmptyMinute } from './minute-build.ts';
import { UncountedMinute, advanceStatistics, sweepMinutes, sweepStatistics } from './minutes.ts';
import { SHOWN_GROUPS, listSeries } from './series.ts';

const ACCOUNT = '01900000-0000-7000-8000-00000000000a';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A whole minute, three hours ago. */
const AT = Math.floor(Date.now() / MINUTE) * MINUTE - 3 * HOUR;

/** The hours around it, in one interval. */
const AROUND = { from: new Date(AT - HOUR), to: new Date(AT + HOUR), intervals: [new Date(AT - HOUR)] };

let serial = 0;

/** An id that was made `seconds` after AT. */
function idAfter(seconds: number): string {
  serial += 1;
  return firstIdAt(AT + seconds * 1_000).replace(
    '0000-0000-000000000000',
    `7000-8000-${String(serial).padStart(12, '0')}`,
  );
}

interface Sent {
  id: string;
  recipients: number;
}

/** Stores a submission that was accepted `seconds` after AT. */
async function send(db: EntityManager, seconds: number, count = 1, given: object = {}): Promise<Sent> {
  const id = idAfter(seconds);
  const recipients = Array.from({ length: count }, (_, i) => String(919800000000 + i));
  await insertSubmissions(db, [newSubmission({ id, accountId: ACCOUNT, recipients, credits: 2, ...given })]);
  await db.query(`UPDATE submission SET accepted_at = $2 WHERE id = $1`, [
    id,
    new Date(AT + seconds * 1_000),
  ]);
  return { id, recipients: count };
}

async function submit(db: EntityManager, { id, recipients }: Sent): Promise<void> {
  await fanOut(db, [id], LEASE_SECONDS);
  const submits = Array.from({ length: recipients }, (_, i) => ({
    submissionId: id,
    n: i + 1,
    result: 'sent' as const,
    gatewayMessageId: null,
    retryAfterMs: 0,
  }));
  await recordSubmits(db, 'simulator', submits);
}

interface ReportOf {
  status: 'DELIVERED' | 'FAILED' | 'READ';
  /** Seconds after AT at which it arrives, and says that it happened. */
  seconds: number;
  n?: number;
  errCode?: string;
}

async function report(db: EntityManager, { id }: Sent, given: ReportOf): Promise<string> {
  const { status, seconds, n = 1, errCode = '000' } = given;
  const reportedAt = new Date(AT + seconds * 1_000);
  const stored = newReport(id, { id: idAfter(seconds), n, status, errCode, reportedAt });
  await insertReports(db, [stored]);
  return stored.id;
}

async function settle(db: EntityManager, ids: string[]): Promise<void> {
  await applyReports(db, ids);
  await db.query(`UPDATE message_event SET settled_at = now() WHERE id = ANY($1)`, [ids]);
}

/** Runs the duty until nothing is due, as at `seconds` after AT. */
async function advance(db: EntityManager, seconds: number): Promise<void> {
  const now = new Date(AT + seconds * 1_000);
  while ((await advanceStatistics(db, 90, now)) > 0);
}

/** The counts of the hours around AT by source, as `outcome` or `outcome errCode`. */
async function counts(db: EntityManager, source: 'minute' | 'quarter' | 'day' = 'quarter'): Promise<object> {
  const from = new Date(source === 'day' ? AT - 48 * HOUR : AT - HOUR);
  const filter = { from, to: new Date(AT + 3 * HOUR), intervals: [from], source };
  const totals: Record<string, number> = {};
  for (const { outcome, group, messages } of await listSeries(db, ACCOUNT, filter, {
    by: 'errCode',
    rank: 'messages',
  })) {
    const name = group === null ? outcome : `${outcome} ${group}`;
    totals[name] = (totals[name] ?? 0) + messages;
  }
  return totals;
}

const dueMinutes = async (db: EntityManager): Promise<number> => {
  const [{ due }]: [{ due: number }] = await db.query(
    `SELECT count(*)::integer AS due FROM message_stat_build WHERE due_at IS NOT NULL AND minute < $1`,
    [new Date(AT + MINUTE)],
  );
  return due;
};

/**
 * Runs the duty until the minute of AT is counted as whole. Transactions of the other databases of this server delay
 * that, too.
 */
async function finish(db: EntityManager, seconds: number): Promise<void> {
  let at = seconds;
  const isFinished = async (): Promise<boolean> => {
    await advance(db, (at += 100));
    return (await dueMinutes(db)) === 0;
  };
  await waitFor(isFinished, { otherwise: 'the minute is still due' });
}

async function openLate(rows: TestRows): Promise<AsyncDisposable & { db: EntityManager }> {
  const source = await openDataSource({
    url: rows.url,
    applicationName: 'late',
    poolSize: 1,
    commit: 'durable',
  });
  return { db: source.manager, [Symbol.asyncDispose]: () => source.destroy() };
}

test('each message counts once per outcome, in every table, however often the duty runs', async () => {
  await using rows = await openRows();
  const sent = await send(rows.db, 5, 4);
  await submit(rows.db, sent);
  const reports = [
    await report(rows.db, sent, { status: 'DELIVERED', seconds: 9 }),
    await report(rows.db, sent, { status: 'DELIVERED', seconds: 10 }),
    await report(rows.db, sent, { status: 'FAILED', seconds: 70, n: 2, errCode: '003' }),
    await report(rows.db, sent, { status: 'DELIVERED', seconds: 75, n: 2 }),
    await report(rows.db, sent, { status: 'READ', seconds: 80, n: 3 }),
  ];
  for (const id of reports) await settle(rows.db, [id]);

  for (const seconds of [20, 30, 90, 200, 1_200, 1_300, 4_000]) await advance(rows.db, seconds);
  await finish(rows.db, 4_000);

  const expected = { accepted: 4, submitted: 4, delivered: 3, read: 1, 'failed 003': 1 };
  for (const source of ['minute', 'quarter', 'day'] as const)
    expect([source, await counts(rows.db, source)]).toEqual([source, expected]);
});

test('a message that ends without a gateway does not count as submitted', async () => {
  await using rows = await openRows();
  const { id } = await send(rows.db, 5);
  const failed = newReport(id, { id: idAfter(9), gateway: '', status: 'FAILED', errCode: '011' });
  await insertReports(rows.db, [failed]);
  await fanOut(rows.db, [id], LEASE_SECONDS);
  const outcome = { submissionId: id, n: 1, gatewayMessageId: null, retryAfterMs: 0 };
  await recordSubmits(rows.db, null, [{ ...outcome, result: 'rejected' }]);
  await settle(rows.db, [failed.id]);

  await finish(rows.db, 4_000);

  expect(await counts(rows.db)).toEqual({ accepted: 1, 'failed 011': 1 });
});

test('a minute is empty without submissions, reports and counts', async () => {
  await using rows = await openRows();
  const isEmpty = (minutes: number): Promise<boolean> =>
    isEmptyMinute(rows.db, new Date(AT + minutes * MINUTE));
  const sent = await send(rows.db, 5);
  await submit(rows.db, sent);
  await settle(rows.db, [await report(rows.db, sent, { status: 'DELIVERED', seconds: 65 })]);
  await finish(rows.db, 4_000);

  expect([await isEmpty(-1), await isEmpty(0), await isEmpty(1), await isEmpty(2)]).toEqual([
    true,
    false,
    false,
    true,
  ]);

  await rows.db.query('DELETE FROM message_event');
  expect(await isEmpty(1)).toBe(false); // its counts are to be corrected
});

test('rows of concurrent transactions that commit late count once', async () => {
  await using rows = await openRows();
  await using late = await openLate(rows);
  await using later = await openLate(rows);
  await submit(rows.db, await send(rows.db, 1));
  await late.db.query('BEGIN');
  await submit(late.db, await send(late.db, 2, 10));
  await later.db.query('BEGIN');
  const sent = await send(later.db, 3, 100);
  await submit(later.db, sent);
  await settle(later.db, [await report(later.db, sent, { status: 'DELIVERED', seconds: 4 })]);

  await advance(rows.db, 30);
  expect(await counts(rows.db)).toEqual({ accepted: 1, submitted: 1 });
  await late.db.query('COMMIT');
  await advance(rows.db, 50);
  expect(await counts(rows.db)).toEqual({ accepted: 11, submitted: 11 });

  // far beyond the last build of its minute, one transaction still runs
  for (const seconds of [130, 1_100, 1_200, 1_300, 5_000]) await advance(rows.db, seconds);
  expect(await counts(rows.db)).toEqual({ accepted: 11, submitted: 11 });
  expect(await dueMinutes(rows.db)).toBe(1);
  await later.db.query('COMMIT');
  await finish(rows.db, 5_000);

  expect(await counts(rows.db)).toEqual({ accepted: 111, submitted: 111, delivered: 1 });
});

test('a minute is counted again until its messages are submitted and its reports are settled', async () => {
  await using rows = await openRows();
  const waiting = await send(rows.db, 5);
  const sent = await send(rows.db, 6);
  await submit(rows.db, sent);
  const open = await report(rows.db, sent, { status: 'DELIVERED', seconds: 9 });
  for (const seconds of [30, 130, 1_100, 1_200]) await advance(rows.db, seconds);
  expect(await counts(rows.db)).toEqual({ accepted: 2, submitted: 1 });

  await submit(rows.db, waiting);
  await settle(rows.db, [open]);
  await finish(rows.db, 6_000);

  expect(await counts(rows.db)).toEqual({ accepted: 2, submitted: 2, delivered: 1 });
});

test('a minute without open messages is counted once after its end, and once when it is whole', async () => {
  await using rows = await openRows();
  const sent = await send(rows.db, 5);
  await submit(rows.db, sent);
  await settle(rows.db, [await report(rows.db, sent, { status: 'DELIVERED', seconds: 9 })]);

  await advance(rows.db, 75);

  const due: object[] = await rows.db.query(
    `SELECT due_at - minute = interval '16 minutes' AS last FROM message_stat_build WHERE minute = $1`,
    [new Date(AT)],
  );
  expect(due).toEqual([{ last: true }]);
});

test('a minute is not counted in the ten seconds after its end, in which rows may be added', async () => {
  await using rows = await openRows();
  await send(rows.db, 5);

  await advance(rows.db, 55);

  const due: object[] = await rows.db.query(
    `SELECT due_at >= minute + interval '70 seconds' AS complete FROM message_stat_build WHERE minute = $1`,
    [new Date(AT)],
  );
  expect(due).toEqual([{ complete: true }]);
});

test('while a transaction lasts for an hour, an old minute is counted ever more rarely', async () => {
  await using rows = await openRows();
  await using own = await openLate(rows);
  await send(rows.db, 5);
  await own.db.transaction(async (db) => {
    await db.query('SELECT pg_current_xact_id()');
    const builtAt = new Set<string>();
    for (let minute = 15; minute <= 75; minute += 1) {
      await advance(rows.db, minute * 60);
      const [built]: [{ at: Date | null }] = await rows.db.query(
        'SELECT built_at AS at FROM message_stat_build WHERE minute = $1',
        [new Date(AT)],
      );
      builtAt.add(String(built.at));
    }

    expect(builtAt.size).toBeLessThan(12);
  });
});

test('the duty reads no whole table', async () => {
  await using rows = await openRows();
  await using own = await openLate(rows);
  for (let i = 0; i < 30; i += 1) await submit(rows.db, await send(rows.db, i, 50));
  await rows.db.query('ANALYZE');
  const before = await scansOf(own.db);

  await advance(own.db, 30);

  expect(await scansOf(own.db)).toEqual(before);
});

async function scansOf(db: EntityManager): Promise<unknown> {
  await db.query('SELECT pg_stat_force_next_flush()');
  return db.query(
    `SELECT relname, seq_scan
       FROM pg_stat_user_tables
      WHERE relname IN ('message', 'message_event', 'submission')
      ORDER BY relname`,
  );
}

test('an account has at most 100 senders a minute, and the rest count without one', async () => {
  await using rows = await openRows();
  for (let i = 0; i < 130; i += 1) await send(rows.db, 1, 1, { sender: `S${i}` });
  await send(rows.db, 2, 7, { sender: 'OFTEN' });
  await advance(rows.db, 30);

  const filter = { ...AROUND, source: 'quarter' as const };
  const series = await listSeries(rows.db, ACCOUNT, filter, { by: 'sender', rank: 'messages' });

  expect(series).toHaveLength(SHOWN_GROUPS + 1);
  expect(series).toContainEqual(expect.objectContaining({ group: 'OFTEN', messages: 7, credits: 14 }));
  expect(series).toContainEqual(expect.objectContaining({ group: null, isRest: false, messages: 31 }));
  expect(series).toContainEqual(expect.objectContaining({ group: null, isRest: true, messages: 91 }));
});

test('the sweep deletes what is too old, and no minute that is still counted', async () => {
  await using rows = await openRows();
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'statistics')`, [ACCOUNT]);
  await submit(rows.db, await send(rows.db, 1));
  await send(rows.db, 61);
  for (const seconds of [90, 300, 1_300, 1_400]) await advance(rows.db, seconds);
  await finish(rows.db, 1_400);
  const sweepAt = async (days: number) => {
    const at = new Date(AT + days * 24 * HOUR);
    for (const sweep of [sweepMinutes, sweepStatistics]) while ((await sweep(rows.db, at)) > 0);
    return [await counts(rows.db, 'minute'), await counts(rows.db, 'quarter'), await counts(rows.db, 'day')];
  };

  expect(await sweepAt(3)).toEqual([
    { accepted: 1 },
    { accepted: 2, submitted: 1 },
    { accepted: 2, submitted: 1 },
  ]);
  expect(await sweepAt(92)).toEqual([{ accepted: 1 }, {}, { accepted: 2, submitted: 1 }]);
  expect(await sweepAt(402)).toEqual([{ accepted: 1 }, {}, {}]);
});

test('a minute that cannot be counted is tried again later, and older ones are counted', async () => {
  await using rows = await openRows();
  await submit(rows.db, await send(rows.db, 5));
  await submit(rows.db, await send(rows.db, 65));
  await rows.db.query(
    `ALTER TABLE message_stat_minute ADD CONSTRAINT planted CHECK (at <> '${new Date(AT + MINUTE).toISOString()}')`,
  );
  const failed: Date[] = [];
  const note = (error: unknown): number => {
    if (!(error instanceof UncountedMinute)) throw error;
    return failed.push(error.minute);
  };
  const pass = (seconds: number): Promise<number> =>
    rows.db.transaction((db) => advanceStatistics(db, 90, new Date(AT + seconds * 1_000)).catch(note));

  while ((await pass(70)) > 0);

  expect(failed).toEqual([new Date(AT + MINUTE)]);
  expect(await counts(rows.db)).toEqual({ accepted: 1, submitted: 1 });
  await rows.db.query(`ALTER TABLE message_stat_minute DROP CONSTRAINT planted`);
  while ((await pass(200)) > 0);
  expect(await counts(rows.db)).toEqual({ accepted: 2, submitted: 2 });
});

test('a worker whose clock is wrong lists and sweeps the minutes of the database', async () => {
  await using rows = await openRows();
  await send(rows.db, 5);
  const doNotFake = ['nextTick', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout'] as const;
  jest.useFakeTimers({ now: Date.now() + 72 * HOUR, doNotFake: [...doNotFake] });
  try {
    while ((await advanceStatistics(rows.db, 90)) > 0);
    await sweepMinutes(rows.db);
  } finally {
    jest.useRealTimers();
  }

  expect(
    await rows.db.query(
      `SELECT max(minute) <= now() AS "isPast", min(minute) = $1 AS "isKept" FROM message_stat_build`,
      [new Date(AT)],
    ),
  ).toEqual([{ isPast: true, isKept: true }]);
});

test('another account sees none of the counts', async () => {
  await using rows = await openRows();
  await send(rows.db, 1);
  await advance(rows.db, 30);

  const filter = { ...AROUND, source: 'minute' as const };
  expect(await listSeries(rows.db, randomUUID(), filter)).toEqual([]);
  expect(await listSeries(rows.db, ACCOUNT, filter)).toHaveLength(1);
});
