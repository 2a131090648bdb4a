import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { numbers, takeRound } from '@signalbox/test/rounds';
import { accept, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import type { FairRound } from './fair-fan-out.ts';
import { cancelSubmission } from './progress.ts';
import { countReady, listStarvedLanes } from './ready.ts';
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
  await rows.db.query(`UPDATE submission SET due_at = due_at + interval '1 hour'`);
  expect(await makeDueReady(rows.db, 'sms')).toEqual({ lanes: [], isFull: false });

  await rows.db.query(`UPDATE submission SET due_at = due_at - interval '3601 seconds'`);
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

function countByAccount({ chunks }: FairRound): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { accountId, recipients } of chunks)
    counts[accountId] = (counts[accountId] ?? 0) + recipients.length;
  return counts;
}
