import { beforeAll, expect, test } from '@jest/globals';
import { MAX_STARTS } from '@signalbox/domain/limits';
import { countPages } from '@signalbox/test/count-pages';
import { openSharedRows } from '@signalbox/test/shared-rows';
import type { EntityManager } from 'typeorm';
import { listParked } from './parked.ts';
import { claimLostCallbacks, claimLostVerifications } from './rescue.ts';
import { countParked } from './starts.ts';

const BACKLOG = 30_000;
/** A few pages for each index that is searched. The rows that wait have hundreds. */
const FEW_PAGES = 30;
const PARKED = 3;

/** Rows of the last ten minutes wait, and the oldest of each table are parked. */
const rows = await openSharedRows();

beforeAll(async () => {
  const age = `interval '10 minutes' - n * interval '20 milliseconds'`;
  const starts = `CASE WHEN n <= ${PARKED} THEN ${MAX_STARTS} ELSE 0 END`;
  await rows.db.query(
    `INSERT INTO callback (id, gateway, body, received_at, starts)
     SELECT uuidv7(-(${age})), 'cloud', repeat('x', 200)::bytea, now() - (${age}), ${starts}
       FROM generate_series(1, $1::integer) AS n`,
    [BACKLOG],
  );
  await rows.db.query(
    `INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, max_attempts, expires_at,
                               created_at, starts)
     SELECT uuidv7(-(${age})), uuidv7(), uuidv7(), uuidv7(), '919800000001', 'IN', false, 5, now() + interval '1 hour',
            now() - (${age}), ${starts}
       FROM generate_series(1, $1::integer) AS n`,
    [BACKLOG],
  );
  await rows.db.query('ANALYZE callback, verification');
});

test('parked rows are counted among the 10,000 that have waited longest', async () => {
  expect(await countParked(rows.db)).toMatchObject({ callback: PARKED, verification: PARKED });
  const [{ pages }] = (await rows.db.query(
    `SELECT (pg_relation_size('callback') + pg_relation_size('verification')) / 8192 AS pages`,
  )) as [{ pages: number }];

  expect(await countPages(rows.db, countParked)).toBeLessThan(pages / 2);
});

test.each(['callback', 'verification'] as const)(
  'parked rows are listed among the 10,000 that have waited longest: %s',
  async (kind) => {
    const list = (db: EntityManager) => listParked(db, kind, { accountId: null, gateway: null }, 50);
    expect(await list(rows.db)).toHaveLength(PARKED);
    const [{ pages }] = (await rows.db.query(`SELECT pg_relation_size('${kind}') / 8192 AS pages`)) as [
      { pages: number },
    ];

    expect(await countPages(rows.db, list)).toBeLessThan(pages / 2);
  },
);

test.each([
  ['callbacks', claimLostCallbacks],
  ['verifications', claimLostVerifications],
] as const)('the rescue of %s reads none that is younger than the oldest job', async (_, claim) => {
  const oldestJobAt = new Date(Date.now() - 11 * 60_000);

  expect(await countPages(rows.db, (counted) => claim(counted, oldestJobAt))).toBeLessThan(FEW_PAGES);
});

test.each([
  ['callbacks', claimLostCallbacks],
  ['verifications', claimLostVerifications],
] as const)('the rescue of %s finds what is older than the oldest job', async (_, claim) => {
  const oldestJobAt = new Date(Date.now() - 9 * 60_000);

  const found: unknown[] = await claim(rows.db, oldestJobAt);

  expect(found.length).toBeGreaterThan(2_000);
  expect(found.length).toBeLessThan(3_000);
});

test.each([
  ['callbacks', 'callback', 'received_at', claimLostCallbacks],
  ['verifications', 'verification', 'created_at', claimLostVerifications],
] as const)(
  'the rescue of %s finds one whose id is in the future, by the clock of a fast host',
  async (_, table, createdAt, claim) => {
    const future = await rows.db.query(`SELECT uuidv7(interval '1 hour') AS id`);
    await rows.db.query(
      `UPDATE ${table}
          SET id = $1, ${createdAt} = now() - interval '12 minutes'
        WHERE id = (SELECT id FROM ${table} ORDER BY id DESC LIMIT 1)`,
      [future[0].id],
    );

    expect(await claim(rows.db, new Date(Date.now() - 11 * 60_000))).toMatchObject(
      table === 'callback' ? future : [future[0].id],
    );
  },
);
