import { beforeAll, expect, test } from '@jest/globals';
import { countPages } from '@signalbox/test/count-pages';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { STAT_GROUPS, listStats } from './stats.ts';

const ACCOUNT = '01890000-0000-7000-8000-000000000001';
const FILTER = { accountId: ACCOUNT, from: '2026-11-01', to: '2026-11-20', configId: null, country: null };

/** For 20 days, ten countries have codes that were verified within each number of seconds up to 100. */
const rows = await openSharedRows();

beforeAll(async () => {
  const days = `SELECT DATE '2026-11-01' + d AS day FROM generate_series(0, 19) AS d`;
  await rows.db.query(
    `INSERT INTO verification_stat (account_id, day, config_id, country, sent, verified)
     SELECT $1, days.day, $1, chr(65 + k) || 'A', 1000, 100
       FROM (${days}) AS days, generate_series(0, 9) AS k`,
    [ACCOUNT],
  );
  await rows.db.query(
    `INSERT INTO verification_latency (account_id, day, config_id, country, seconds, verified)
     SELECT $1, days.day, $1, chr(65 + k) || 'A', seconds, 1
       FROM (${days}) AS days, generate_series(0, 9) AS k, generate_series(1, 100) AS seconds`,
    [ACCOUNT],
  );
  await rows.db.query('VACUUM ANALYZE verification_stat, verification_latency');
});

// an index scan reads the pages of the table and of its index, and some again
test.each(STAT_GROUPS)(
  'statistics by %s read each roll-up once, for the groups and for the total',
  async (by) => {
    const [{ pages }] = (await rows.db.query(
      `SELECT pg_relation_size('verification_latency') / 8192 AS pages`,
    )) as [{ pages: number }];

    expect(await countPages(rows.db, (counted) => listStats(counted, FILTER, by))).toBeLessThan(3 * pages);
  },
);

test('the total has the codes and the times of all groups', async () => {
  const { total, groups } = await listStats(rows.db, FILTER, 'country');

  const times = { p50Seconds: 50, p95Seconds: 95 };
  expect(total).toEqual({ group: null, sent: 200_000, verified: 20_000, ...times });
  expect(groups).toHaveLength(10);
  expect(groups[0]).toEqual({ group: 'AA', sent: 20_000, verified: 2_000, ...times });
});

test('an account without codes has a total of none', async () => {
  const none = { group: null, sent: 0, verified: 0, p50Seconds: null, p95Seconds: null };
  const filter = { ...FILTER, accountId: '01890000-0000-7000-8000-000000000002' };

  expect(await listStats(rows.db, filter, 'day')).toEqual({ total: none, groups: [] });
});
