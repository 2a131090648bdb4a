import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import type { QuietRule } from '@signalbox/domain/sms/quiet-hours';
import { accept, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { type FairRound, type RoundLimits, fanOutFairly } from './fair-fan-out.ts';
import { countReady, listStarvedLanes } from './ready.ts';
import { claimHeld, reclaim } from './reclaim.ts';
import { cancelSubmission, findProgress } from './progress.ts';
import { fanOut, makeDueReady } from './submissions.ts';

test('accounts get equal shares of a round, with a bulk, many messages or a single one', async () => {
  await using rows = await openRows();
  const [bulk, many, single] = [randomUUIDv7(), randomUUIDv7(), randomUUIDv7()];
  await accept(rows.db, { accountId: bulk, recipients: numbers(5_000) });
  for (let i = 0; i < 60; i += 1) await accept(rows.db, { accountId: many });
  await accept(rows.db, { accountId: single });

  const round = await takeRound(rows.db, { budget: 90 });

  expect(countByAccount(round)).toEqual({ [bulk]: 30, [many]: 30, [single]: 1 });
  expect(round).toMatchObject({ more: true, after: null });
});

test('rounds claim every message once, and the last one reports that there is no more', async () => {
  await using rows = await openRows();
  const ids = [];
  for (const count of [1, 700, 3]) ids.push((await accept(rows.db, { recipients: numbers(count) })).id);

  const taken = [];
  let round: FairRound;
  do {
    round = await takeRound(rows.db, { budget: 150 });
    taken.push(
      ...round.chunks.flatMap(({ id, from, recipients }) =>
        recipients.map((_, i) => `${id}:${from + i + 1}`),
      ),
    );
  } while (round.more);

  expect(new Set(taken).size).toBe(taken.length);
  expect(taken).toHaveLength(704);
  expect(
    await rows.db.query('SELECT count(*)::integer AS count FROM submission WHERE fanned_out_at IS NULL'),
  ).toEqual([{ count: 0 }]);
  expect(await takeRound(rows.db, { budget: 150 })).toEqual({
    chunks: [],
    heldDue: [],
    more: false,
    after: null,
  });
});

test('when there is too little for all accounts, they take turns', async () => {
  await using rows = await openRows();
  const accounts = Array.from({ length: 5 }, () => randomUUIDv7());
  for (const accountId of accounts) await accept(rows.db, { accountId, recipients: numbers(10) });

  let after: string | null = null;
  const served: string[] = [];
  for (let i = 0; i < 5; i += 1) {
    const round: FairRound = await takeRound(rows.db, { budget: 2, after });
    served.push(...Object.keys(countByAccount(round)));
    after = round.after;
  }

  expect(served.slice(0, 5).toSorted()).toEqual(accounts.toSorted());
});

test('an account takes no more than it is allowed', async () => {
  await using rows = await openRows();
  const [limited, spent, free] = [randomUUIDv7(), randomUUIDv7(), randomUUIDv7()];
  for (const accountId of [limited, spent, free])
    await accept(rows.db, { accountId, recipients: numbers(100) });

  const allowances = new Map([
    [limited, 3],
    [spent, 0],
  ]);
  expect(countByAccount(await takeRound(rows.db, { budget: 40, allowances }))).toEqual({
    [limited]: 3,
    [free]: 20,
  });
});

test('two rounds at the same time never take the same message', async () => {
  await using rows = await openRows();
  for (let i = 0; i < 40; i += 1) await accept(rows.db, { recipients: numbers(3) });

  const rounds = await Promise.all(Array.from({ length: 4 }, () => takeRound(rows.db, { budget: 100 })));

  const taken = rounds.flatMap(({ chunks }) =>
    chunks.flatMap(({ id, from, recipients }) => recipients.map((_, i) => `${id}:${from + i}`)),
  );
  expect(new Set(taken).size).toBe(taken.length);
});

test('a submission with a rate gives half a second of it at a time, and waits for the next', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db, { recipients: numbers(100), ratePerSecond: 20, waits: true });
  expect((await takeRound(rows.db)).chunks).toEqual([]);
  expect(await fanOut(rows.db, [id], LEASE_SECONDS)).toEqual([]);

  expect(await makeDueReady(rows.db, 'sms')).toEqual({ lanes: ['TRANS'], isFull: false });
  expect((await takeRound(rows.db)).chunks[0]?.recipients).toHaveLength(10);
  expect((await takeRound(rows.db)).chunks).toEqual([]);
  expect(await makeDueReady(rows.db, 'sms')).toEqual({ lanes: [], isFull: false });

  await rows.db.query(`UPDATE submission SET due_at = due_at - interval '1 second'`);
  await makeDueReady(rows.db, 'sms');
  expect((await takeRound(rows.db)).chunks[0]).toMatchObject({
    from: 10,
    recipients: numbers(100).slice(10, 20),
  });
});

test('a cancelled or expired submission ends immediately, whatever its rate', async () => {
  await using rows = await openRows();
  const { id, accountId } = await accept(rows.db, {
    recipients: numbers(300),
    ratePerSecond: 1,
    waits: true,
  });
  await cancelSubmission(rows.db, accountId, 'sms', id);

  await makeDueReady(rows.db, 'sms');
  const { chunks } = await takeRound(rows.db);

  expect(chunks[0]).toMatchObject({ complete: true, skipped: numbers(300).map((_, i) => i + 1) });
  expect(chunks[0]?.reportIds).toHaveLength(300);
});

test('quiet hours hold only the recipients they are for, until they end', async () => {
  await using rows = await openRows();
  const { id, accountId } = await accept(rows.db, {
    recipients: ['919800000001', '33600000001', '919800000002'],
  });
  const quiet = quietNow('91');
  expect(await fanOut(rows.db, [id], LEASE_SECONDS, quiet)).toEqual([]);

  const { chunks } = await takeRound(rows.db, { quiet });

  expect(chunks[0]).toMatchObject({ skipped: [1, 3], complete: false, reportIds: null });
  const progress = await findProgress(rows.db, accountId, 'sms', id);
  expect(progress).toMatchObject({ held: 2, statuses: { PENDING: 3 } });
  const heldMinutes = ((progress?.heldUntil?.getTime() ?? 0) - Date.now()) / 60_000;
  expect(heldMinutes).toBeGreaterThan(58);
  expect(heldMinutes).toBeLessThan(61);

  expect(await makeDueReady(rows.db, 'sms')).toEqual({ lanes: [], isFull: false });
  expect((await takeRound(rows.db, { quiet })).chunks).toEqual([]);
});

test('held messages are released when due, at the rate of their submission', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db, { recipients: numbers(5), ratePerSecond: 4, waits: true });
  await makeDueReady(rows.db, 'sms');
  for (let round = 0; round < 3; round += 1) {
    await takeRound(rows.db, { quiet: quietNow('91') });
    await letTimePass(rows.db);
  }

  const released = [];
  for (let round = 0; round < 4; round += 1) {
    const { heldDue } = await takeRound(rows.db);
    const { messages } = await claimHeld(rows.db, heldDue, LEASE_SECONDS, []);
    released.push(messages.map(({ n, attempt }) => [n, attempt]));
    await letTimePass(rows.db);
  }

  expect(released).toEqual([
    [
      [1, 1],
      [2, 1],
    ],
    [
      [3, 1],
      [4, 1],
    ],
    [[5, 1]],
    [],
  ]);
  expect(
    await rows.db.query(
      `SELECT fanned_out_at IS NOT NULL AS done, held_until FROM submission WHERE id = $1`,
      [id],
    ),
  ).toEqual([{ done: true, held_until: null }]);
});

test('a message whose retry drifts into quiet hours is held too, and its submission waits again', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await fanOut(rows.db, [id], LEASE_SECONDS);
  await rows.db.query(`UPDATE message SET claimed_until = now()`);

  expect(await reclaim(rows.db, [id], LEASE_SECONDS, quietNow('91'))).toEqual({
    messages: [],
    reportIds: [],
  });
  expect(await rows.db.query(`SELECT held_until > now() AS held, starts FROM message`)).toEqual([
    { held: true, starts: 1 },
  ]);

  await letTimePass(rows.db);
  const { heldDue } = await takeRound(rows.db);
  expect((await claimHeld(rows.db, heldDue, LEASE_SECONDS, [])).messages).toHaveLength(1);
});

test('held messages that expire or are cancelled end without being sent', async () => {
  await using rows = await openRows();
  const [late, cancelled] = [await accept(rows.db), await accept(rows.db)];
  await takeRound(rows.db, { quiet: quietNow('91') });
  await rows.db.query(`UPDATE submission SET expires_at = now(), due_at = now() WHERE id = $1`, [late.id]);
  await cancelSubmission(rows.db, cancelled.accountId, 'sms', cancelled.id);
  expect(await findProgress(rows.db, cancelled.accountId, 'sms', cancelled.id)).toMatchObject({
    cancelled: 1,
    held: 0,
    heldUntil: null,
  });

  await makeDueReady(rows.db, 'sms');
  const { heldDue } = await takeRound(rows.db, { quiet: quietNow('91') });
  const { messages, reportIds } = await claimHeld(rows.db, heldDue, LEASE_SECONDS, quietNow('91'));

  expect(messages).toEqual([]);
  expect(reportIds).toHaveLength(2);
  expect(
    await rows.db.query(
      'SELECT submission_id, err_code FROM message WHERE held_until IS NULL ORDER BY submission_id',
    ),
  ).toEqual([
    { submission_id: late.id, err_code: '901' },
    { submission_id: cancelled.id, err_code: '902' },
  ]);
});

test('a cancelled send of which a part is held ends in the next rounds', async () => {
  await using rows = await openRows();
  const quiet = quietNow('91');
  const { id, accountId } = await accept(rows.db, {
    recipients: numbers(100),
    ratePerSecond: 20,
    waits: true,
  });
  await makeDueReady(rows.db, 'sms');
  await takeRound(rows.db, { quiet });
  await cancelSubmission(rows.db, accountId, 'sms', id);
  await makeDueReady(rows.db, 'sms');

  const { chunks, more } = await takeRound(rows.db, { quiet });
  expect(chunks[0]?.reportIds).toHaveLength(90);
  expect(more).toBe(true);
  expect(await rows.db.query('SELECT due_at <= now() AS due FROM submission')).toEqual([{ due: true }]);

  const { heldDue } = await takeRound(rows.db, { quiet });
  const { reportIds } = await claimHeld(rows.db, heldDue, LEASE_SECONDS, quiet);
  expect(reportIds).toHaveLength(10);
  expect(await takeRound(rows.db, { quiet })).toMatchObject({ heldDue: [], more: false });
  expect(await rows.db.query('SELECT fanned_out_at IS NOT NULL AS done FROM submission')).toEqual([
    { done: true },
  ]);
});

test('held messages are due when they expire, if that comes first', async () => {
  await using rows = await openRows();
  await accept(rows.db, { expiresAt: new Date(Date.now() + 60_000) });

  await takeRound(rows.db, { quiet: quietNow('91') });

  expect(await rows.db.query('SELECT due_at = expires_at AS same FROM submission')).toEqual([{ same: true }]);
});

test.each([
  ['over midnight, in the evening', -60, 600, true],
  ['over midnight, in the morning', -600, 60, true],
  ['just over', -600, -1, false],
  ['not yet begun', 2, 600, false],
])('quiet hours %s', async (_, fromMinutes, untilMinutes, isQuiet) => {
  await using rows = await openRows();
  const [{ from, until }] = await rows.db.query(
    `SELECT to_char(now() AT TIME ZONE 'Asia/Kolkata' + make_interval(mins => $1), 'HH24:MI') AS from,
            to_char(now() AT TIME ZONE 'Asia/Kolkata' + make_interval(mins => $2), 'HH24:MI') AS until`,
    [fromMinutes, untilMinutes],
  );
  await accept(rows.db);

  await takeRound(rows.db, { quiet: [{ lane: 'TRANS', prefix: '91', from, until, zone: 'Asia/Kolkata' }] });

  expect(await rows.db.query('SELECT held_until IS NOT NULL AS held FROM message')).toEqual([
    { held: isQuiet },
  ]);
});

test('a lane is listed once a submission has been ready in it for a second', async () => {
  await using rows = await openRows();
  await accept(rows.db, { lane: 'OTP' });
  await accept(rows.db, { lane: 'PROMO', waits: true });
  expect(await listStarvedLanes(rows.db, 'sms')).toEqual([]);

  await rows.db.query(`UPDATE submission SET due_at = now() - interval '2 seconds'`);
  expect(await listStarvedLanes(rows.db, 'sms')).toEqual(['OTP']);
  expect(await countReady(rows.db, 'sms')).toEqual([
    { lane: 'OTP', count: 1 },
    { lane: 'TRANS', count: 0 },
    { lane: 'PROMO', count: 0 },
  ]);
});

test('a claim reads no ready submission but its own, by a plan made while few were ready', async () => {
  await using rows = await openRows();
  await takeNamed(rows.db, (await accept(rows.db)).id);
  await rows.db.query('ANALYZE ready_sms, submission');
  const { id } = await accept(rows.db);
  await accept(rows.db);
  await rows.db.query(
    `INSERT INTO ready_sms (lane, account_id, id) SELECT 'PROMO', uuidv7(), uuidv7() FROM generate_series(1, 2000)`,
  );

  expect(await countReads(rows.db, (db) => takeNamed(db, id))).toBeLessThan(10);
  expect(await countReads(rows.db, (db) => takeRound(db))).toBeLessThan(10);
  expect(await rows.db.query(`SELECT id FROM ready_sms WHERE lane <> 'PROMO'`)).toEqual([]);
  expect(await rows.db.query('SELECT count(*)::integer AS count FROM message')).toEqual([{ count: 3 }]);
});

test('a round leaves the large submissions that it does not need to another worker', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  const ids: string[] = [];
  for (let i = 0; i < 3; i += 1)
    ids.push((await accept(rows.db, { accountId, recipients: numbers(2_000) })).id);

  const taken = await rows.db.transaction(async (first) => [
    await takeRound(first),
    await takeRound(rows.db),
    await rows.db.transaction((third) => takeRound(third)),
  ]);

  expect(taken.map(({ chunks }) => chunks.map(({ id, recipients }) => [id, recipients.length]))).toEqual(
    [ids[0], ids[1], ids[1]].map((id) => [[id, 1_000]]),
  );
});

test('rounds follow each other through large submissions of which a part is left', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  for (let i = 0; i < 3; i += 1) await accept(rows.db, { accountId, recipients: numbers(1_300) });

  const sizes: number[] = [];
  for (let more = true; more; ) {
    const round = await takeRound(rows.db);
    sizes.push(...round.chunks.map(({ recipients }) => recipients.length));
    more = round.more;
  }

  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(3_900);
});

test('a round takes small, paced and unknown submissions together', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  for (let i = 0; i < 5; i += 1)
    await accept(rows.db, { accountId, recipients: numbers(2_000), ratePerSecond: 20 });
  for (let i = 0; i < 5; i += 1) await accept(rows.db, { accountId, recipients: numbers(3) });
  await accept(rows.db, { accountId, recipients: numbers(2_000) });
  await rows.db.query('UPDATE ready_sms SET messages = NULL WHERE messages = 3');

  const { chunks } = await takeRound(rows.db);

  expect(chunks.map(({ recipients }) => recipients.length)).toEqual([10, 10, 10, 10, 10, 3, 3, 3, 3, 3, 935]);
});

const takeNamed = (db: EntityManager, id: string): Promise<unknown> => fanOut(db, [id], LEASE_SECONDS);

/** Counts the rows of the table of ready submissions that some work reads. */
function countReads(db: EntityManager, work: (db: EntityManager) => Promise<unknown>): Promise<number> {
  return db.transaction(async (counted) => {
    await work(counted);
    const [{ reads }] = await counted.query(
      `SELECT (seq_tup_read + idx_tup_fetch)::integer AS reads
         FROM pg_stat_xact_user_tables
        WHERE relname = 'ready_sms'`,
    );
    return reads;
  });
}

const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => String(919800000000 + i));

function takeRound(db: EntityManager, share: Partial<RoundLimits> = {}): Promise<FairRound> {
  return fanOutFairly(
    db,
    'TRANS',
    { budget: 1_000, allowances: new Map(), after: null, quiet: [], ...share },
    LEASE_SECONDS,
  );
}

function countByAccount({ chunks }: FairRound): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { accountId, recipients } of chunks)
    counts[accountId] = (counts[accountId] ?? 0) + recipients.length;
  return counts;
}

/** Quiet hours that began an hour ago and end in one. */
function quietNow(prefix: string): QuietRule[] {
  const clock = (hours: number): string =>
    new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  return [{ lane: 'TRANS', prefix, from: clock(-1), until: clock(1), zone: 'UTC' }];
}

/** Makes all that waits for a time due: rows move, not the clock. */
async function letTimePass(db: EntityManager): Promise<void> {
  await db.query(`UPDATE submission SET due_at = now() - interval '1 second' WHERE waits`);
  await db.query(
    `UPDATE message SET held_until = now() - interval '1 second', claimed_until = now() - interval '1 second' WHERE held_until IS NOT NULL`,
  );
  await makeDueReady(db, 'sms');
}
