import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { MAX_WRONG_CODES_PER_DAY, lockWaitMs } from '@signalbox/domain/verify/limits';
import { openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { openDataSource } from '../core/data-source.ts';
import { type AttemptOutcome, decideAttempts } from './attempts.ts';
import { blindMac } from '@signalbox/domain/verify/otp-code';

const ACCOUNT = randomUUIDv7();
const RIGHT = randomBytes(32);
const WRONG = randomBytes(32);
/** `VERIFY_PROOF=1000x200` is the full proof; what runs each time is a small part of it. */
const [VERIFICATIONS = 40, TRIES = 40] = (process.env['VERIFY_PROOF'] ?? '40x40').split('x').map(Number);
const CONNECTIONS = 8;

test('a right code tried concurrently over many connections is right once', async () => {
  await using t = await setup();
  const ids = await t.store(VERIFICATIONS);

  const outcomes = await t.tryAll(ids, RIGHT, TRIES);

  expect(count(outcomes)).toEqual({ right: VERIFICATIONS, used: VERIFICATIONS * (TRIES - 1) });
  expect(await t.query(`SELECT DISTINCT status, attempts FROM verification`)).toEqual([
    { status: 'VERIFIED', attempts: 0 },
  ]);
});

test('a wrong code tried concurrently is compared five times, each with another count left', async () => {
  await using t = await setup();
  const ids = await t.store(VERIFICATIONS);

  const outcomes = await t.tryAll(ids, WRONG, TRIES);

  expect(count(outcomes)).toEqual({ wrong: VERIFICATIONS * 5, spent: VERIFICATIONS * (TRIES - 5) });
  const left = outcomes
    .filter(({ verifyId, outcome }) => verifyId === ids[0] && outcome === 'wrong')
    .map(({ attemptsRemaining }) => attemptsRemaining);
  expect(left.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4]);
});

test('wrong codes for one number over many verifications and connections are compared 20 times', async () => {
  await using t = await setup();
  const ids = await t.store(10, '919800000100');

  const outcomes = await t.tryAll(ids, WRONG, 20);

  expect(outcomes.filter(({ outcome }) => outcome === 'wrong')).toHaveLength(MAX_WRONG_CODES_PER_DAY);
  expect(await t.query('SELECT sum(attempts)::integer AS attempts FROM verification')).toEqual([
    { attempts: MAX_WRONG_CODES_PER_DAY },
  ]);
  expect(await t.query('SELECT cardinality(wrong_at) AS wrong FROM verification_number')).toEqual([
    { wrong: MAX_WRONG_CODES_PER_DAY },
  ]);
});

test('of concurrent right and wrong codes at most one is right, and none is compared after it', async () => {
  await using t = await setup();
  const ids = await t.store(20);

  const outcomes = (await Promise.all([t.tryAll(ids, RIGHT, 3), t.tryAll(ids, WRONG, 20)])).flat();

  for (const id of ids) {
    const mine = count(outcomes.filter(({ verifyId }) => verifyId === id));
    expect(mine['wrong'] ?? 0).toBeLessThanOrEqual(5);
    expect((mine['right'] ?? 0) === 1 || mine['wrong'] === 5).toBe(true);
  }
});

test('right codes of a number in one batch cost none of its attempts of the day', async () => {
  await using t = await setup();
  const ids = await t.store(4, '919800000100');
  await t.makeWrong(MAX_WRONG_CODES_PER_DAY - 1);
  await t.query(`UPDATE verification SET expires_at = now() WHERE id = '${ids[0]}'`);
  await t.query(`UPDATE verification SET attempts = max_attempts WHERE id = '${ids[1]}'`);

  expect(count(await t.tryOnce(ids, RIGHT))).toEqual({ expired: 1, spent: 1, right: 2 });
});

test('the 20th wrong code locks a number for the codes after it in the batch', async () => {
  await using t = await setup();
  const ids = await t.store(2, '919800000100');
  await t.makeWrong(MAX_WRONG_CODES_PER_DAY - 1);

  const outcomes = await t.tryOnce(ids, WRONG);

  expect(count(outcomes)).toEqual({ wrong: 1, locked: 1 });
  const history = outcomes.find(({ outcome }) => outcome === 'locked')?.history;
  expect(lockWaitMs(history?.wrongAt ?? [], history?.now ?? 0)).toBeGreaterThan(22 * 3_600_000);
});

test('codes that find their number locked do not lengthen its lock for those after them', async () => {
  await using t = await setup();
  const ids = await t.store(10, '919800000100');
  await t.query(
    `UPDATE verification_number SET wrong_at = ARRAY(SELECT now() - n * interval '1 hour' FROM generate_series(1, 20) AS n)`,
  );

  const outcomes = await t.tryOnce(ids, WRONG);

  expect(count(outcomes)).toEqual({ locked: 10 });
  const waits = outcomes.map(({ history }) => lockWaitMs(history?.wrongAt ?? [], history?.now ?? 0));
  expect(Math.max(...waits)).toBeLessThanOrEqual(4 * 3_600_000);
});

function count(outcomes: AttemptOutcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

function decide(db: EntityManager, ids: string[], mac: Buffer): Promise<AttemptOutcome[]> {
  const nonce = randomBytes(16);
  const blinded = blindMac(mac, nonce);
  const attempts = ids.map((verifyId) => ({ verifyId, accountId: ACCOUNT, blinded, blindedBefore: null }));
  return decideAttempts(db, attempts, nonce);
}

async function setup() {
  await using started = new AsyncDisposableStack();
  const rows = started.use(await openRows());
  const source = await openDataSource({
    url: rows.url,
    applicationName: 'test',
    poolSize: CONNECTIONS,
    commit: 'asynchronous',
  });
  started.defer(() => source.destroy());
  const all = started.move();
  return {
    query: <Row>(sql: string): Promise<Row[]> => source.query(sql),
    /** Stores open verifications, by default each for a different number. */
    store: async (size: number, recipient?: string): Promise<string[]> => {
      const ids = Array.from({ length: size }, () => randomUUIDv7());
      const recipients = ids.map((_, i) => recipient ?? String(919_800_000_000 + i));
      await source.query(
        `INSERT INTO verification_number (account_id, recipient) SELECT DISTINCT $1::uuid, unnest($2::text[])`,
        [ACCOUNT, recipients],
      );
      await source.query(
        `INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, status, sent_at, code_mac, max_attempts, expires_at)
         SELECT id, $1, $1, $1, recipient, 'IN', false, 'SENT', now(), $4, 5, now() + interval '5 minutes' FROM unnest($2::uuid[], $3::text[]) AS v(id, recipient)`,
        [ACCOUNT, ids, recipients, RIGHT],
      );
      return ids;
    },
    /** Gives the number of every verification wrong codes of an hour ago. */
    makeWrong: (size: number): Promise<unknown> =>
      source.query(
        `UPDATE verification_number SET wrong_at = array_fill(now() - interval '1 hour', ARRAY[$1::integer])`,
        [size],
      ),
    /** Tries a code for each of these, in one batch. */
    tryOnce: (ids: string[], mac: Buffer): Promise<AttemptOutcome[]> => decide(source.manager, ids, mac),
    /**
     * Tries one code `times` times for each of these, as several processes would: in separate batches, in any order.
     */
    tryAll: async (ids: string[], mac: Buffer, times: number): Promise<AttemptOutcome[]> => {
      const batches = Array.from({ length: times }, () => ids.toSorted(() => Math.random() - 0.5));
      const outcomes: AttemptOutcome[] = [];
      const connection = async (): Promise<void> => {
        for (let batch = batches.pop(); batch; batch = batches.pop()) {
          outcomes.push(...(await decide(source.manager, batch, mac)));
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, connection));
      return outcomes;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
