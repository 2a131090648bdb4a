import { randomUUIDv7 } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { accept } from '@signalbox/test/rows';
import { openSharedRows } from '@signalbox/test/shared-rows';
import type { EntityManager } from 'typeorm';
import { claimLostVerifications } from '../ops/rescue.ts';
import { fanOut } from '../submissions/submissions.ts';
import { listStats } from './stats.ts';
import {
  closeEnded,
  expireVerifications,
  sweepGuardCounts,
  sweepNumbers,
  sweepQuotas,
  sweepVerifications,
} from './maintenance.ts';

const ACCOUNT = randomUUIDv7();
const CONFIG = randomUUIDv7();
const KEY = randomUUIDv7();

const rows = await openSharedRows();
beforeEach(async () => {
  await rows.db.query(
    'TRUNCATE submission, message, verification, verification_step, verification_number, verification_quota, verification_stat, verification_latency, verification_conversion',
  );
});

interface Stored {
  id: string;
  status: 'WAITING' | 'SENT' | 'VERIFIED' | 'EXPIRED' | 'REPLACED';
  recipient: string;
  country: string;
  isTest: boolean;
  /** Interval since its creation. */
  age: string;
  verifiedAfterSeconds: number;
  sent: boolean;
}

async function store(given: Partial<Stored> = {}): Promise<string> {
  const { status, recipient, country, isTest, age, verifiedAfterSeconds, sent, id } = {
    id: randomUUIDv7(),
    status: 'SENT',
    recipient: '919800000100',
    country: 'IN',
    isTest: false,
    age: '1 minute',
    verifiedAfterSeconds: 10,
    sent: true,
    ...given,
  };
  await rows.db.query(
    `INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, status, code_mac, max_attempts, created_at, expires_at, sent_at, verified_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CASE $8 WHEN 'SENT' THEN '\\x00'::bytea END, 5, now() - $9::interval, now() - $9::interval + interval '5 minutes',
             CASE WHEN $10 THEN now() - $9::interval END, CASE $8 WHEN 'VERIFIED' THEN now() - $9::interval + make_interval(secs => $11) END)`,
    [id, ACCOUNT, CONFIG, KEY, recipient, country, isTest, status, age, sent, verifiedAfterSeconds],
  );
  return id;
}

/** Stores the message of a code, fanned out. Returns the id of its submission. */
async function acceptCode(db: EntityManager): Promise<string> {
  const { id } = await accept(db, { accountId: ACCOUNT, lane: 'OTP' });
  await fanOut(db, [id], 60);
  return id;
}

const statuses = async (): Promise<string[]> =>
  (await rows.db.query('SELECT status FROM verification ORDER BY status')).map(
    (row: { status: string }) => row.status,
  );

test('an expired verification ends once, and its code is deleted', async () => {
  await store({ age: '5 minutes' });
  await store({ age: '5 minutes', status: 'WAITING', sent: false });
  await store({ age: '4 minutes 59 seconds' });
  await store({ age: '1 hour', status: 'VERIFIED' });

  expect(await expireVerifications(rows.db)).toBe(2);
  expect(await expireVerifications(rows.db)).toBe(0);
  expect(await statuses()).toEqual(['EXPIRED', 'EXPIRED', 'SENT', 'VERIFIED']);
});

test('concurrent passes count each end once, except of test numbers and unsent codes', async () => {
  for (let i = 0; i < 40; i += 1)
    await store({ status: i % 4 === 0 ? 'EXPIRED' : 'VERIFIED', verifiedAfterSeconds: i });
  await store({ status: 'VERIFIED', country: 'US', recipient: '15550100001', verifiedAfterSeconds: 3.2 });
  await store({ status: 'REPLACED' });
  await store({ status: 'VERIFIED', isTest: true });
  await store({ status: 'EXPIRED', sent: false });
  await store();

  const taken = await Promise.all(Array.from({ length: 5 }, () => closeEnded(rows.db)));

  expect(taken.reduce((sum, each) => sum + each)).toBe(44);
  const filter = { accountId: ACCOUNT, from: '2020-01-01', to: '2100-01-01', configId: null, country: null };
  expect((await listStats(rows.db, filter, 'country')).groups).toMatchObject([
    { group: 'IN', verified: 30, p50Seconds: 19, p95Seconds: 38 },
    { group: 'US', verified: 1, p50Seconds: 4, p95Seconds: 4 },
  ]);
  expect(
    await rows.db.query(
      'SELECT dimension, value, ended, verified FROM verification_conversion ORDER BY dimension, ended',
    ),
  ).toEqual([
    { dimension: 'country', value: 'US', ended: 1, verified: 1 },
    { dimension: 'country', value: 'IN', ended: 41, verified: 30 },
    { dimension: 'key', value: KEY, ended: 42, verified: 31 },
    { dimension: 'prefix', value: '1555010', ended: 1, verified: 1 },
    { dimension: 'prefix', value: '91980000', ended: 41, verified: 30 },
  ]);
});

test.each(['VERIFIED', 'REPLACED'] as const)(
  'the messages of a code that is %s are cancelled unless a gateway has them',
  async (status) => {
    const [first, fallback, sent] = await Promise.all(Array.from({ length: 3 }, () => acceptCode(rows.db)));
    await rows.db.query(`UPDATE message SET status = 'SENT' WHERE submission_id = $1`, [sent]);
    const id = await store({ status });
    await rows.db.query(`UPDATE verification SET submission_id = $2 WHERE id = $1`, [id, first]);
    await rows.db.query(`UPDATE verification SET submission_id = $2 WHERE id = $1`, [
      await store({ status }),
      sent,
    ]);
    await rows.db.query(
      `INSERT INTO verification_step (verification_id, step, account_id, channel, status, due_at, stops_on_delivery, submission_id)
       VALUES ($1, 2, $2, 'sms', 'SENT', now(), true, $3)`,
      [id, ACCOUNT, fallback],
    );
    const open = await acceptCode(rows.db);
    await rows.db.query(`UPDATE verification SET submission_id = $2 WHERE id = $1`, [await store(), open]);

    await closeEnded(rows.db);

    const cancelled: { id: string }[] = await rows.db.query(
      'SELECT id FROM submission WHERE cancelled_at IS NOT NULL',
    );
    expect(new Set(cancelled.map((each) => each.id))).toEqual(new Set([first, fallback]));
  },
);

test('the time until a code was correct is counted in seconds, and from 100 s on in two digits', async () => {
  const times = [-40_000, 0.5, 99, 99.5, 100.5, 110, 989, 990.5, 1_001, 3_600, 40_000];
  for (const verifiedAfterSeconds of times) await store({ status: 'VERIFIED', verifiedAfterSeconds });

  expect(await closeEnded(rows.db)).toBe(times.length);
  const counted: { seconds: number; verified: number }[] = await rows.db.query(
    'SELECT seconds, verified FROM verification_latency ORDER BY seconds',
  );
  expect(counted.map(({ seconds, verified }) => [seconds, verified])).toEqual([
    [0, 1],
    [1, 1],
    [99, 1],
    [100, 1],
    [110, 2],
    [990, 1],
    [1_000, 1],
    [1_100, 1],
    [3_600, 1],
    [9_900, 1],
  ]);
});

test('a verification and its number are deleted a day after its end, and statistics stay', async () => {
  const old = '01900000-0000-7000-8000-00000000000';
  await store({ id: `${old}1`, status: 'EXPIRED', age: '26 hours' });
  await store({ id: `${old}2`, status: 'VERIFIED', age: '26 hours', recipient: '919800000101' });
  await store({ status: 'VERIFIED', recipient: '919800000101' });
  for (const [recipient, age] of [
    ['919800000100', '26 hours'],
    ['919800000101', '1 minute'],
  ]) {
    await rows.db.query(
      `INSERT INTO verification_number (account_id, recipient, touched_at) VALUES ($1, $2, now() - $3::interval)`,
      [ACCOUNT, recipient, age],
    );
  }
  await rows.db.query(
    `INSERT INTO verification_quota (account_id, quota, used_at) VALUES ($1, 'prefix 91980000', now() - interval '3 hours'), ($1, 'credits', now())`,
    [ACCOUNT],
  );

  expect(await sweepVerifications(rows.db)).toBe(0); // not counted yet
  await closeEnded(rows.db);
  expect(await sweepVerifications(rows.db)).toBe(2);

  expect(await statuses()).toEqual(['VERIFIED']);
  expect(await rows.db.query('SELECT recipient FROM verification_number')).toEqual([
    { recipient: '919800000101' },
  ]);
  expect(await rows.db.query('SELECT quota FROM verification_quota')).toEqual([{ quota: 'credits' }]);
  expect((await rows.db.query('SELECT FROM verification_stat')).length).toBeGreaterThan(0);
});

test('the counts of the fraud guard are deleted after two days, without a verification', async () => {
  for (const hours of [51, 49])
    await rows.db.query(
      `INSERT INTO verification_conversion (account_id, dimension, value, hour)
       VALUES ($1, 'prefix', $2::text, now() - make_interval(hours => $2::text::integer))`,
      [ACCOUNT, String(hours)],
    );

  expect(await sweepGuardCounts(rows.db)).toBe(1);
  expect(await rows.db.query('SELECT value FROM verification_conversion')).toEqual([{ value: '49' }]);
});

test.each([
  ['verification_number', 'recipient', 'touched_at', sweepNumbers],
  ['verification_quota', 'quota', 'used_at', sweepQuotas],
] as const)(
  'leftover rows of %s are deleted after a day, some pages at a time',
  async (table, key, at, sweep) => {
    const insert = (names: string[], age: string): Promise<unknown> =>
      rows.db.query(
        `INSERT INTO ${table} (account_id, ${key}, ${at})
       SELECT $1, name, now() - $3::interval FROM unnest($2::text[]) AS name`,
        [ACCOUNT, names, age],
      );
    await insert(['old', 'older'], '26 hours');
    await insert(
      Array.from({ length: 40_000 }, (_, i) => `kept ${i}`),
      '24 hours',
    );
    await insert(['last'], '26 hours');

    const first = await sweep(rows.db, 0);
    expect(first).toEqual({ deleted: 2, next: expect.any(Number) });
    let { next } = first;
    let deleted = 0;
    while (next !== null) {
      const stretch = await sweep(rows.db, next);
      deleted += stretch.deleted;
      next = stretch.next;
    }

    expect(deleted).toBe(1);
    expect(await rows.db.query(`SELECT count(*)::integer AS count FROM ${table}`)).toEqual([
      { count: 40_000 },
    ]);
  },
);

test('a waiting verification without a job is claimed again, at growing intervals', async () => {
  const lost = await store({ status: 'WAITING', sent: false, age: '2 minutes' });
  await store({ status: 'WAITING', sent: false, age: '1 second' });
  await store({ age: '2 minutes' });

  expect(await claimLostVerifications(rows.db, new Date(Date.now() - 180_000))).toEqual([]);
  expect(await claimLostVerifications(rows.db, new Date())).toEqual([lost]);
  await rows.db.query('UPDATE verification SET starts = 4 WHERE id = $1', [lost]);
  expect(await claimLostVerifications(rows.db, new Date())).toEqual([]);
});
