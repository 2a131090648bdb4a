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
  /** The beginnings of the intervals, in order. */
  intervals: readonly Date[];
  source: Source;
  channel?: string | undefined;
  gateway?: string | undefined;
  sender?: string | undefined;
  errCode?: string | undefined;
}

/** The amount that groups are ordered by. */
export type Rank = 'messages' | 'credits';

/** Number of groups with separate counts; all smaller ones are counted together. */
export const SHOWN_GROUPS = 10;

/**
 * Messages of one outcome within an interval. `group` is null without grouping, for messages that have none, and for
 * the rest (`isRest`).
 */
export interface SeriesCount {
  at: Date;
  group: string | null;
  /** True for the groups beyond SHOWN_GROUPS. */
  isRest: boolean;
  outcome: Outcome;
  /** The class of the delivery time, see LATENCY_BOUNDS_SECONDS; 0 for other outcomes. */
  latency: number;
  messages: number;
  credits: number;
}

const COLUMN: Record<SeriesGroup, string> = {
  channel: 'channel',
  status: 'outcome',
  errCode: 'err_code',
  gateway: 'gateway',
  sender: 'sender',
};

const WEIGHT: Record<Rank, string> = {
  messages: 'sum(messages)',
  credits: `COALESCE(sum(credits) FILTER (WHERE outcome = 'accepted'), 0)`,
};

const MATCHES = sql`
  ($5::text IS NULL OR channel = $5)
  AND ($6::text IS NULL OR gateway = $6)
  AND ($7::text IS NULL OR sender = $7)
  AND ($8::text IS NULL OR err_code = $8)`;

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

/** The place of a time among the intervals, from 1. Cheaper than date_trunc(), which costs more than all the rest. */
const PLACE = `width_bucket(at, $4::timestamptz[])`;

const AT = `($4::timestamptz[])[place]`;

const seriesOf = (source: Source): string => sql`
  SELECT ${AT} AS at, NULL AS "group", false AS "isRest", outcome, latency,
         messages::float8 AS messages, credits::float8 AS credits
    FROM (
      SELECT ${PLACE} AS place, outcome, latency,
             sum(messages) AS messages, sum(credits) AS credits
        FROM (
          ${rowsOf(source)}
        ) AS matching
       GROUP BY 1, 2, 3
    ) AS counted
   WHERE messages <> 0
      OR credits <> 0`;

/** The rows are read once: groups are ranked by their sums. */
const splitSeriesOf = (source: Source, column: string, weight: string): string => sql`
  WITH counted AS MATERIALIZED (
    SELECT ${PLACE} AS place, ${column} AS "group", outcome, latency,
           sum(messages) AS messages, sum(credits) AS credits
      FROM (
        ${rowsOf(source)}
      ) AS matching
     GROUP BY 1, 2, 3, 4
  ),
  shown AS MATERIALIZED (
    SELECT "group"
      FROM counted
     GROUP BY 1
     ORDER BY ${weight} DESC, 1
     LIMIT ${SHOWN_GROUPS}
  )
  SELECT ${AT} AS at, NULLIF("group", '') AS "group",
         "group" IS NULL AS "isRest", outcome, latency,
         messages::float8 AS messages, credits::float8 AS credits
    FROM (
      SELECT place,
             CASE WHEN "group" = ANY(ARRAY(SELECT "group" FROM shown)) THEN "group" END AS "group",
             outcome, latency, sum(messages) AS messages, sum(credits) AS credits
        FROM counted
       GROUP BY 1, 2, 3, 4
    ) AS grouped
   WHERE messages <> 0
      OR credits <> 0`;

/** A split of the counts: the dimension, and the order that decides which groups are shown. */
export interface Split {
  by: SeriesGroup;
  rank: Rank;
}

/**
 * Lists the counts of an account by interval, group, outcome and delivery time; the groups beyond the first
 * SHOWN_GROUPS are one. Intervals without messages are absent.
 */
export function listSeries(
  db: EntityManager,
  accountId: string,
  filter: SeriesFilter,
  split?: Split,
): Promise<SeriesCount[]> {
  const { from, to, intervals, source, channel, gateway, sender, errCode } = filter;
  const text = split ? splitSeriesOf(source, COLUMN[split.by], WEIGHT[split.rank]) : seriesOf(source);
  return db.query(text, [
    accountId,
    from.toISOString(),
    to.toISOString(),
    intervals.map((at) => at.toISOString()),
    channel ?? null,
    gateway ?? null,
    sender ?? null,
    errCode ?? null,
  ]);
}

/** The range of time and the zone of a series. */
interface IntervalRange {
  /** Inclusive. */
  from: Date;
  /** Exclusive. */
  to: Date;
  step: Step;
  /** A time zone that Postgres knows, in which hours and days begin. */
  zone: string;
}

/*
 * Both read one interval more than the range has, whose beginning is the end of the last.
 */

/** Each half-hour is rounded down by itself: on Lord Howe Island the clock changes by half an hour. */
const MINUTES_OR_HOURS = sql`
  SELECT DISTINCT date_trunc($4, at, $3) AS at
    FROM generate_series(
           date_trunc($4, $1::timestamptz, $3),
           $2::timestamptz - interval '1 microsecond' + ('1 ' || $4)::interval,
           LEAST(('1 ' || $4)::interval, interval '30 minutes')
         ) AS at
   ORDER BY at`;

/**
 * A day begins when the day before ends: where the clock changes at midnight, midnight is skipped, or happens twice. So
 * days are counted in the zone, and not by adding a day to a time.
 */
const DAYS = sql`
  SELECT (midnight - interval '1 microsecond') AT TIME ZONE $3 + interval '1 microsecond' AS at
    FROM generate_series(
           date_trunc('day', $1::timestamptz AT TIME ZONE $3),
           ($2::timestamptz - interval '1 microsecond') AT TIME ZONE $3 + interval '1 day',
           interval '1 day'
         ) AS midnight
   ORDER BY midnight`;

/** Whole intervals. */
export interface Intervals {
  /** Their beginnings, in order. */
  intervals: Date[];
  /** The end of the last. */
  end: Date;
}

/** Lists the intervals that a range touches. The first may begin before the range, and the last may end after it. */
export async function listIntervals(
  db: EntityManager,
  { from, to, step, zone }: IntervalRange,
): Promise<Intervals> {
  const range = [from.toISOString(), to.toISOString(), zone];
  const rows: { at: Date }[] = await (step === 'day'
    ? db.query(DAYS, range)
    : db.query(MINUTES_OR_HOURS, [...range, step]));
  const bounds = rows.map(({ at }) => at);
  return { intervals: bounds.filter((at) => at < to), end: bounds.find((at) => at >= to) ?? to };
}

/** Finds when the statistics of the newest minutes were last built; null before the first time. */
export async function findBuiltAt(db: EntityManager): Promise<Date | null> {
  const [row]: { at: Date | null }[] = await db.query(
    `SELECT max(built_at) AS at
       FROM (SELECT built_at FROM message_stat_build ORDER BY minute DESC LIMIT 10) AS newest`,
  );
  return row?.at ?? null;
}
