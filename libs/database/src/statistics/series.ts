import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import type { Outcome } from './minute-build.ts';

/** Dimensions that a series may be split by. */
export const SERIES_GROUPS = ['channel', 'status', 'errCode', 'gateway', 'sender'] as const;
export type SeriesGroup = (typeof SERIES_GROUPS)[number];

/** The length of an interval. */
export const STEPS = ['minute', 'hour', 'day'] as const;
export type Step = (typeof STEPS)[number];

/** The table that a series is read from: quarters of an hour make hours and days of every zone. */
export type Source = 'minute' | 'quarter' | 'day';

/** Selects the counts of an account. */
export interface SeriesFilter {
  /** Inclusive. */
  from: Date;
  /** Exclusive. */
  to: Date;
  step: Step;
  source: Source;
  /** A time zone that Postgres knows, in which hours and days begin. */
  zone: string;
  channel?: string | undefined;
  gateway?: string | undefined;
  sender?: string | undefined;
  errCode?: string | undefined;
}

/** Messages of one outcome within an interval; `group` is null for all of them. */
export interface SeriesCount {
  at: Date;
  group: string | null;
  outcome: Outcome;
  /** The class of the delivery time, see LATENCY_BOUNDS_SECONDS; 0 for other outcomes. */
  latency: number;
  messages: number;
  credits: number;
}

const COLUMN: Record<SeriesGroup | 'none', string> = {
  channel: 'channel',
  status: 'outcome',
  errCode: `NULLIF(err_code, '')`,
  gateway: `NULLIF(gateway, '')`,
  sender: 'sender',
  none: 'NULL::text',
};

const MATCHES = sql`
  ($6::text IS NULL OR channel = $6)
  AND ($7::text IS NULL OR gateway = $7)
  AND ($8::text IS NULL OR sender = $8)
  AND ($9::text IS NULL OR err_code = $9)`;

/** By minute the key begins with the time, so the counts of the account are read minute by minute. */
const rowsOf = (source: Source): string =>
  source === 'minute'
    ? sql`
        SELECT counted.*
          FROM generate_series($2::timestamptz, $3::timestamptz - interval '1 microsecond', interval '1 minute')
               AS minute
         CROSS JOIN LATERAL (
           SELECT *
             FROM message_stat_minute
            WHERE at = minute
              AND account_id = $1
              AND ${MATCHES}
         ) AS counted`
    : sql`
        SELECT *
          FROM message_stat_${source}
         WHERE account_id = $1
           AND at >= $2::timestamptz
           AND at < $3::timestamptz
           AND ${MATCHES}`;

const seriesOf = (source: Source, group: string): string => sql`
  SELECT date_trunc($4, at, $5) AS at, ${group} AS "group", outcome, latency,
         sum(messages)::float8 AS messages, sum(credits)::float8 AS credits
    FROM (
      ${rowsOf(source)}
    ) AS counted
   GROUP BY 1, 2, 3, 4
  HAVING sum(messages) <> 0
      OR sum(credits) <> 0`;

/** Lists the counts of an account by interval, group, outcome and delivery time. Intervals without messages are absent. */
export function listSeries(
  db: EntityManager,
  accountId: string,
  filter: SeriesFilter,
  group?: SeriesGroup,
): Promise<SeriesCount[]> {
  const { from, to, step, source, zone, channel, gateway, sender, errCode } = filter;
  return db.query(seriesOf(source, COLUMN[group ?? 'none']), [
    accountId,
    from.toISOString(),
    to.toISOString(),
    step,
    zone,
    channel ?? null,
    gateway ?? null,
    sender ?? null,
    errCode ?? null,
  ]);
}

/** Lists the beginnings of the intervals that a range touches, in a zone. */
export async function listIntervals(
  db: EntityManager,
  { from, to, step, zone }: Pick<SeriesFilter, 'from' | 'to' | 'step' | 'zone'>,
): Promise<Date[]> {
  const rows: { at: Date }[] = await db.query(
    `SELECT at
       FROM generate_series(
              date_trunc($3, $1::timestamptz, $4),
              $2::timestamptz - interval '1 microsecond',
              ('1 ' || $3)::interval,
              $4
            ) AS at`,
    [from.toISOString(), to.toISOString(), step, zone],
  );
  return rows.map(({ at }) => at);
}

/** Finds when the statistics of the newest minutes were last built; null before the first time. */
export async function findBuiltAt(db: EntityManager): Promise<Date | null> {
  const [row]: { at: Date | null }[] = await db.query(
    `SELECT max(built_at) AS at
       FROM (SELECT built_at FROM message_stat_build ORDER BY minute DESC LIMIT 10) AS newest`,
  );
  return row?.at ?? null;
}
