import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type CodeTraffic, isSuspect } from '@signalbox/domain/verify/fraud-guard';
import { countPages } from '@signalbox/test/count-pages';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { listGuardedTraffic, listSuspects } from './conversions.ts';

const rows = await openSharedRows();

/** Stores codes of the current hour. */
async function store(accountId: string, traffic: CodeTraffic[]): Promise<void> {
  await rows.db.query(
    `INSERT INTO verification_conversion (account_id, dimension, value, hour, ended, verified)
     SELECT $1, dimension, value, date_trunc('hour', now(), 'UTC'), ended, verified
       FROM json_to_recordset($2::json) AS t(dimension text, value text, ended integer, verified integer)`,
    [accountId, JSON.stringify(traffic)],
  );
}

function prefix(value: number, ended: number, verified = 0): CodeTraffic {
  return { dimension: 'prefix', value: String(value), ended, verified };
}

test('the suspect traffic is what the fraud guard suspects, for each threshold', async () => {
  const accountId = randomUUIDv7();
  const counts = [49, 50, 51, 60].flatMap((ended) => [0, 9, 10, 11, 12].map((verified) => [ended, verified]));
  const traffic = counts.map(([ended, verified], i) => prefix(91_980_000 + i, ended!, verified));
  await store(accountId, traffic);
  const thresholds = [
    { accountId, minSends: 50, minConversionPercent: 20 },
    { accountId, minSends: 51, minConversionPercent: 18 },
  ];

  const suspects = await listSuspects(rows.db, [...thresholds, ...thresholds]);

  const expected = thresholds.flatMap((threshold) =>
    traffic.filter((each) => isSuspect(each, threshold)).map((each) => ({ ...threshold, ...each })),
  );
  expect(suspects).toHaveLength(expected.length);
  expect(suspects).toEqual(expect.arrayContaining(expected));
});

test('an attacked prefix is found behind any number of prefixes with lower digits', async () => {
  const accountId = randomUUIDv7();
  const others = Array.from({ length: 20_001 }, (_, i) => prefix(1_200_000 + i, 60, 50));
  await store(accountId, [...others, prefix(91_980_000, 60)]);

  const suspects = await listSuspects(rows.db, [{ accountId, minSends: 50, minConversionPercent: 20 }]);

  expect(suspects.map(({ value }) => value)).toEqual(['91980000']);
});

test('of too many suspects the prefixes with the fewest codes are left out', async () => {
  const accountId = randomUUIDv7();
  const prefixes = Array.from({ length: 1_001 }, (_, i) => prefix(91_980_000 + i, 50 + i));
  await store(accountId, [...prefixes, { dimension: 'key', value: 'a', ended: 50, verified: 0 }]);

  const suspects = await listSuspects(rows.db, [{ accountId, minSends: 50, minConversionPercent: 20 }]);

  expect(suspects).toHaveLength(1_000);
  expect(suspects[0]).toMatchObject({ dimension: 'key' });
  expect(Math.min(...suspects.slice(1).map(({ ended }) => ended))).toBe(52);
});

/** Prefixes of an account in each of the last 24 hours: a fourth of their codes were not verified. */
const MANY_PREFIXES = 2_500;

async function storeManyPrefixes(accountId: string): Promise<void> {
  await rows.db.query(
    `INSERT INTO verification_conversion (account_id, dimension, value, hour, ended, verified)
     SELECT $1, 'prefix', 10000000 + i, date_trunc('hour', now(), 'UTC') - make_interval(hours => ago), 4, 3
       FROM generate_series(0, 23) AS ago, generate_series(1, ${MANY_PREFIXES}) AS i`,
    [accountId],
  );
  await rows.db.query('ANALYZE verification_conversion');
}

test('of the prefixes of an hour, those with the most codes that were not verified are read', async () => {
  const accountId = randomUUIDv7();
  await storeManyPrefixes(accountId);
  await store(accountId, [
    prefix(91_980_000, 60, 5),
    { dimension: 'key', value: 'a', ended: 50, verified: 0 },
  ]);
  const threshold = { accountId, minSends: 50, minConversionPercent: 20 };

  const suspects = await listSuspects(rows.db, [threshold]);
  const traffic = await listGuardedTraffic(rows.db, accountId, 50, 2);

  const found = [{ value: 'a', ended: 50, verified: 0 }, prefix(91_980_000, 60, 5)];
  expect(suspects).toMatchObject(found);
  expect(traffic).toMatchObject(found);
  // 1,000 rows of each hour, which lie together; all have 1,400 pages
  expect(await countPages(rows.db, (db) => listSuspects(db, [threshold]))).toBeLessThan(1_000);
  // and the hours of 1,000 prefixes, which lie apart; all have 69,000
  expect(await countPages(rows.db, (db) => listGuardedTraffic(db, accountId, 50, 2))).toBeLessThan(
    2 * 24 * 1_100,
  );
});

test('a prefix is shown while its suspicions are recent, although its bad codes are a day old', async () => {
  const accountId = randomUUIDv7();
  await storeManyPrefixes(accountId);
  await rows.db.query(
    `INSERT INTO verification_conversion (account_id, dimension, value, hour, ended, blocked)
     SELECT $1, 'prefix', '91980000', date_trunc('hour', now(), 'UTC') - make_interval(hours => ago), ended, blocked
       FROM (VALUES (46, 60, 0), (23, 0, 7)) AS given(ago, ended, blocked)`,
    [accountId],
  );

  expect(await listGuardedTraffic(rows.db, accountId, 50, 1)).toMatchObject([
    { value: '91980000', ended: 0, blocked: 7 },
  ]);
});
