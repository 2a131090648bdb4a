import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';

/** The groups that statistics may be split into. */
export const STAT_GROUPS = ['day', 'config', 'country'] as const;
export type StatGroup = (typeof STAT_GROUPS)[number];

const COLUMN: Record<StatGroup, string> = { day: 'day::text', config: 'config_id::text', country: 'country' };

/** A filter of the codes of an account, by the day of UTC they were requested on. */
export interface StatFilter {
  accountId: string;
  /** `YYYY-MM-DD`, inclusive. */
  from: string;
  to: string;
  configId: string | null;
  country: string | null;
}

/**
 * The outcome of a group of codes. Times are in seconds, from the request to the right code; null when none was
 * verified.
 */
export interface CodeStat {
  group: string;
  sent: number;
  verified: number;
  p50Seconds: number | null;
  p95Seconds: number | null;
}

/** Maximum number of groups that are returned: those with the fewest codes are left out. */
const MAX_GROUPS = 500;

const MATCHES = sql`
  account_id = $1
  AND day BETWEEN $2::date AND $3::date
  AND ($4::uuid IS NULL OR config_id = $4)
  AND ($5::text IS NULL OR country = $5)`;

/** Adds the `rows` that meet a condition to a count, in the order of the key, so that two batches never deadlock. */
export const addToStats = (count: 'sent' | 'verified', rows: string, condition: string): string => sql`
  INSERT INTO verification_stat AS vt (account_id, day, config_id, country, sent, verified)
  SELECT account_id, day, config_id, country, ${count === 'sent' ? 'count(*), 0' : '0, count(*)'}
    FROM ${rows}
   WHERE ${condition}
   GROUP BY account_id, day, config_id, country
   ORDER BY account_id, day, config_id, country
  ON CONFLICT ON CONSTRAINT verification_stat_pkey DO UPDATE
     SET ${count} = vt.${count} + EXCLUDED.${count}`;

const listBy = (name: string, order: string): string => sql`
  WITH stat AS (
    SELECT ${name} AS name, sum(sent)::integer AS sent, sum(verified)::integer AS verified
      FROM verification_stat
     WHERE ${MATCHES}
     GROUP BY 1
  ), spread AS (
    -- the codes that were verified within each number of seconds
    SELECT ${name} AS name, seconds,
           sum(sum(verified)) OVER (PARTITION BY ${name} ORDER BY seconds) AS upto,
           sum(sum(verified)) OVER (PARTITION BY ${name}) AS total
      FROM verification_latency
     WHERE ${MATCHES}
     GROUP BY 1, seconds
  ), quantile AS (
    SELECT name,
           min(seconds) FILTER (WHERE upto >= 0.5 * total) AS p50,
           min(seconds) FILTER (WHERE upto >= 0.95 * total) AS p95
      FROM spread
     GROUP BY name
  ), biggest AS (
    SELECT *
      FROM stat
     ORDER BY sent DESC, name
     LIMIT ${MAX_GROUPS}
  )
  SELECT biggest.name AS "group", biggest.sent, biggest.verified,
         quantile.p50 AS "p50Seconds", quantile.p95 AS "p95Seconds"
    FROM biggest
    LEFT JOIN quantile ON quantile.name = biggest.name
   ORDER BY ${order}`;

/** Lists the outcome of codes by group, or of all of them. Reads the roll-ups and no verification. */
export function listStats(
  db: EntityManager,
  { accountId, from, to, configId, country }: StatFilter,
  group?: StatGroup,
): Promise<CodeStat[]> {
  const statement = listBy(
    group === undefined ? `'all'` : COLUMN[group],
    group === 'day' ? 'biggest.name DESC' : 'biggest.sent DESC, biggest.name',
  );
  return db.query(statement, [accountId, from, to, configId, country]);
}
