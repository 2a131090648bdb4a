import type { GuardDimension, GuardThreshold } from '@signalbox/domain/verify/fraud-guard';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

export interface Traffic {
  accountId: string;
  dimension: GuardDimension;
  value: string;
}

/** The outcome of the codes of some traffic in the last 24 hours. Codes that can still be used are not counted yet. */
export interface Conversion extends Traffic {
  ended: number;
  verified: number;
}

/** The window of the guard, in whole hours. */
const RECENT = `hour > now() - interval '24 hours'`;

const TRAFFIC = rowset('t', { account_id: 'uuid', dimension: 'text', value: 'text' });

const LIST = sql`
  SELECT vv.account_id AS "accountId", vv.dimension, vv.value,
         sum(vv.ended)::integer AS ended, sum(vv.verified)::integer AS verified
    FROM (
      SELECT DISTINCT *
        FROM ${TRAFFIC.from}
    ) AS t
    JOIN verification_conversion vv
      ON vv.account_id = t.account_id
     AND vv.dimension = t.dimension
     AND vv.value = t.value
     AND vv.${RECENT}
   GROUP BY vv.account_id, vv.dimension, vv.value`;

/** Lists the conversion of each of these; traffic without codes is left out. */
export function listConversions(db: EntityManager, traffic: Traffic[]): Promise<Conversion[]> {
  return db.query(LIST, TRAFFIC.values(traffic));
}

/** An account, and the threshold of its guard. */
export interface GuardedAccount extends GuardThreshold {
  accountId: string;
}

/** Suspect countries, keys and prefixes that are listed of an account. */
const MAX_SUSPECTS = 1_000;

/** Prefixes of an account that are read of each hour: those with the most codes that were not verified. */
const PREFIXES_OF_HOUR = 1_000;

/** Prefixes of an account whose hours are added up. */
const MAX_PREFIXES = 1_000;

const ACCOUNTS = rowset('a', { account_id: 'uuid', min_sends: 'integer', min_conversion_percent: 'integer' });

/** The choice of the prefixes of an account whose traffic is read. */
interface PrefixChoice {
  /** Hours that are searched for prefixes, the current one included. */
  hours: number;
  /** The condition of an hour of a prefix that is read. */
  where: string;
  /** Conditions and order by which MAX_PREFIXES are chosen, over their counts in the hours read. */
  by: string;
}

/**
 * Selects the traffic of an account in the window of the guard: all countries and keys, and the chosen prefixes. It reads
 * at most PREFIXES_OF_HOUR rows of each hour to choose them, and then their hours by the key, however many prefixes an
 * account has.
 */
const recentTraffic = (account: string, columns: string, { hours, where, by }: PrefixChoice): string => sql`
  SELECT dimension, value, ${columns}
    FROM verification_conversion
   WHERE account_id = ${account}
     AND dimension IN ('country', 'key')
     AND ${RECENT}
   UNION ALL
  SELECT of_prefix.*
    FROM (
      SELECT value
        FROM generate_series(0, ${hours - 1}) AS ago
       CROSS JOIN LATERAL (
         SELECT value, ended, verified, flagged + blocked AS suspicions
           FROM verification_conversion
          WHERE hour = date_trunc('hour', now(), 'UTC') - make_interval(hours => ago)
            AND account_id = ${account}
            AND dimension = 'prefix'
            AND ${where}
          ORDER BY ended - verified DESC
          LIMIT ${PREFIXES_OF_HOUR}
       ) AS of_hour
       GROUP BY value
       ${by}
       LIMIT ${MAX_PREFIXES}
    ) AS prefix
   CROSS JOIN LATERAL (
     SELECT dimension, value, ${columns}
       FROM verification_conversion
      WHERE account_id = ${account}
        AND dimension = 'prefix'
        AND value = prefix.value
        AND ${RECENT}
   ) AS of_prefix`;

/** The prefixes that isSuspect of the fraud guard can find: the codes of the hours that are not read were verified. */
const SUSPECT_PREFIXES: PrefixChoice = {
  hours: 24,
  where: 'ended - verified > 0',
  by: sql`
    HAVING sum(ended - verified) * 100 > (100 - a.min_conversion_percent) * a.min_sends
       AND sum(verified) * 100 < a.min_conversion_percent * sum(ended)
     ORDER BY sum(ended) DESC, value`,
};

const LIST_SUSPECTS = sql`
  SELECT a.account_id AS "accountId", a.min_sends AS "minSends",
         a.min_conversion_percent AS "minConversionPercent", vv.*
    FROM (
      SELECT DISTINCT *
        FROM ${ACCOUNTS.from}
    ) AS a
   CROSS JOIN LATERAL (
     SELECT dimension, value, sum(ended)::integer AS ended, sum(verified)::integer AS verified
       FROM (
         ${recentTraffic('a.account_id', 'ended, verified', SUSPECT_PREFIXES)}
       ) AS recent
      GROUP BY dimension, value
     -- isSuspect of the fraud guard
     HAVING sum(ended) >= a.min_sends AND sum(verified) * 100 < a.min_conversion_percent * sum(ended)
      -- prefixes come last: no number of them leaves out a country or a key
      ORDER BY dimension, sum(ended) DESC, value
      LIMIT ${MAX_SUSPECTS}
   ) AS vv`;

/**
 * Lists the suspect traffic of these accounts, of each at most 1,000 countries, keys and prefixes: of the prefixes those
 * with the most codes. Of an hour with more prefixes, it examines the 1,000 with the most codes that were not verified.
 * Do not call it while rows are locked.
 */
export function listSuspects(
  db: EntityManager,
  accounts: GuardedAccount[],
): Promise<(Conversion & GuardedAccount)[]> {
  return db.query(LIST_SUSPECTS, ACCOUNTS.values(accounts));
}

/** A code that the guard suspects: reported only (flagged), or not sent (blocked). */
export interface Suspicion extends Traffic {
  action: 'flagged' | 'blocked';
}

const SUSPICIONS = rowset('given', { account_id: 'uuid', dimension: 'text', value: 'text', action: 'text' });

const COUNT = sql`
  INSERT INTO verification_conversion AS vv (account_id, dimension, value, hour, flagged, blocked)
  SELECT account_id, dimension, value, date_trunc('hour', now(), 'UTC'),
         count(*) FILTER (WHERE action = 'flagged'), count(*) FILTER (WHERE action = 'blocked')
    FROM ${SUSPICIONS.from}
   GROUP BY account_id, dimension, value
   ORDER BY account_id, dimension, value
  ON CONFLICT ON CONSTRAINT verification_conversion_pkey DO UPDATE
     SET flagged = vv.flagged + EXCLUDED.flagged, blocked = vv.blocked + EXCLUDED.blocked`;

/** Counts suspicions in the current hour. */
export async function countSuspicions(db: EntityManager, suspicions: Suspicion[]): Promise<void> {
  if (suspicions.length === 0) return;
  await db.query(COUNT, SUSPICIONS.values(suspicions));
}

/** Traffic of an account in the last 24 hours, with its suspicions. */
export interface GuardedTraffic extends Omit<Conversion, 'accountId'> {
  flagged: number;
  blocked: number;
}

/** Bad codes of the day before the window explain suspicions in it. */
const WORST_PREFIXES: PrefixChoice = {
  hours: 48,
  where: 'true',
  by: sql`
    HAVING sum(ended) >= $2 OR sum(suspicions) > 0
     ORDER BY sum(ended - verified) DESC, value`,
};

const LIST_GUARDED = sql`
  SELECT dimension, value, sum(ended)::integer AS ended, sum(verified)::integer AS verified,
         sum(flagged)::integer AS flagged, sum(blocked)::integer AS blocked
    FROM (
      ${recentTraffic('$1', 'ended, verified, flagged, blocked', WORST_PREFIXES)}
    ) AS recent
   GROUP BY dimension, value
  HAVING sum(ended) >= $2 OR sum(flagged) + sum(blocked) > 0
   ORDER BY sum(verified)::float8 / GREATEST(sum(ended), 1), sum(ended) DESC, dimension, value
   LIMIT $3`;

/**
 * Lists the traffic of an account that has at least `minSends` codes, or was suspected: the worst first, at most
 * `limit`. Of the prefixes it examines the 1,000 with the most codes that were not verified.
 */
export function listGuardedTraffic(
  db: EntityManager,
  accountId: string,
  minSends: number,
  limit: number,
): Promise<GuardedTraffic[]> {
  return db.query(LIST_GUARDED, [accountId, minSends, limit]);
}
