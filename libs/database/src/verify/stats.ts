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
  /** Null for the total of all groups. */
  group: string | null;
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

/**
 * Reads each roll-up once, for the groups and for their total, whose name is null. Postgres would read the times again
 * for each group if they were not materialized.
 */
const listBy = (name: string, order: string): string => sql`
  WITH stat AS MATERIALIZED (
    SELECT ${name} AS name, sum(sent)::integer AS sent, sum(verified)::integer AS verified
      FROM verification_stat
     WHERE ${MATCHES}
     GROUP BY 1
  ), taken AS MATERIALIZED (
    SELECT ${name} AS name, seconds, sum(verified) AS verified
      FROM verification_latency
     WHERE ${MATCHES}
     GROUP BY 1, seconds
  ), spread AS (
    -- the codes that were verified within each number of seconds
    SELECT name, seconds,
           sum(verified) OVER (PARTITION BY name ORDER BY seconds) AS upto,
           sum(verified) OVER (PARTITION BY name) AS total
      FROM (
        TABLE taken
        UNION ALL
        SELECT NULL, seconds, sum(verified)
          FROM taken
         GROUP BY seconds
      ) AS each
  ), quantile AS MATERIALIZED (
    SELECT name,
           min(seconds) FILTER (WHERE upto >= 0.5 * total) AS p50,
           min(seconds) FILTER (WHERE upto >= 0.95 * total) AS p95
      FROM spread
     GROUP BY name
  ), shown AS (
    (SELECT *
       FROM stat
      ORDER BY sent DESC, name
      LIMIT ${MAX_GROUPS})
    UNION ALL
    SELECT NULL, COALESCE(sum(sent), 0)::integer, COALESCE(sum(verified), 0)::integer
      FROM stat
  )
  SELECT shown.name AS "group", shown.sent, shown.verified,
         quantile.p50 AS "p50Seconds", quantile.p95 AS "p95Seconds"
    FROM shown
    LEFT JOIN quantile ON quantile.name IS NOT DISTINCT FROM shown.name
   ORDER BY shown.name IS NOT NULL, ${order}`;

/** Lists the outcome of codes by group, and that of all of them. Reads the roll-ups and no verification. */
export async function listStats(
  db: EntityManager,
  { accountId, from, to, configId, country }: StatFilter,
  group: StatGroup,
): Promise<{ total: CodeStat; groups: CodeStat[] }> {
  const order = group === 'day' ? 'shown.name DESC' : 'shown.sent DESC, shown.name';
  const values = [accountId, from, to, configId, country];
  const [total, ...groups]: [CodeStat, ...CodeStat[]] = await db.query(listBy(COLUMN[group], order), values);
  return { total, groups };
}
