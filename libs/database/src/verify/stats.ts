import type { EntityManager } from 'typeorm';

/** What statistics may be told apart by. */
export const STAT_GROUPS = ['day', 'config', 'country'] as const;
export type StatGroup = (typeof STAT_GROUPS)[number];

const COLUMN: Record<StatGroup, string> = { day: 'day::text', config: 'config_id::text', country: 'country' };

/** Which codes are counted: those of an account, by the day of UTC they were asked for. */
export interface StatFilter {
  accountId: string;
  /** `YYYY-MM-DD`, inclusive. */
  from: string;
  to: string;
  configId: string | null;
  country: string | null;
}

/** What became of some codes. The times are in seconds, from the call to the right code; null when none was verified. */
export interface CodeStat {
  group: string;
  sent: number;
  verified: number;
  p50Seconds: number | null;
  p95Seconds: number | null;
}

/** More groups than this are never told: those with the fewest codes are left out. */
const MAX_GROUPS = 500;

/** What became of codes, by group, or of all together when there is none. From the roll-ups: no verification is read. */
export function listStats(
  db: EntityManager,
  { accountId, from, to, configId, country }: StatFilter,
  group?: StatGroup,
): Promise<CodeStat[]> {
  const name = group === undefined ? `'all'` : COLUMN[group];
  const where = `account_id = $1 AND day BETWEEN $2::date AND $3::date AND ($4::uuid IS NULL OR config_id = $4) AND ($5::text IS NULL OR country = $5)`;
  return db.query(
    `WITH stat AS (
       SELECT ${name} AS name, sum(sent)::integer AS sent, sum(verified)::integer AS verified FROM verification_stat WHERE ${where} GROUP BY 1
     ), spread AS (
       SELECT ${name} AS name, seconds, sum(sum(verified)) OVER (PARTITION BY ${name} ORDER BY seconds) AS upto,
              sum(sum(verified)) OVER (PARTITION BY ${name}) AS total
         FROM verification_latency WHERE ${where} GROUP BY 1, seconds
     ), quantile AS (
       SELECT name, min(seconds) FILTER (WHERE upto >= 0.5 * total) AS p50, min(seconds) FILTER (WHERE upto >= 0.95 * total) AS p95
         FROM spread GROUP BY name
     ), biggest AS (SELECT * FROM stat ORDER BY sent DESC, name LIMIT ${MAX_GROUPS})
     SELECT b.name AS "group", b.sent, b.verified, q.p50 AS "p50Seconds", q.p95 AS "p95Seconds"
       FROM biggest b LEFT JOIN quantile q ON q.name = b.name ORDER BY ${group === 'day' ? 'b.name DESC' : 'b.sent DESC, b.name'}`,
    [accountId, from, to, configId, country],
  );
}
