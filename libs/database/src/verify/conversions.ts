import type { GuardDimension } from '@signalbox/domain/verify/fraud-guard';
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

/** An account, and the fewest codes that its guard judges. */
export interface GuardedAccount {
  accountId: string;
  minSends: number;
}

/** Hours of prefixes that are read of an account. */
const MAX_PREFIX_HOURS = 20_000;

const ACCOUNTS = rowset('a', { account_id: 'uuid', min_sends: 'integer' });

const LIST_BUSY_PREFIXES = sql`
  SELECT a.account_id AS "accountId", 'prefix' AS dimension, vv.value,
         sum(vv.ended)::integer AS ended, sum(vv.verified)::integer AS verified
    FROM ${ACCOUNTS.from}
   CROSS JOIN LATERAL (
     SELECT value, ended, verified
       FROM verification_conversion
      WHERE account_id = a.account_id
        AND dimension = 'prefix'
        AND ${RECENT}
      ORDER BY value, hour
      LIMIT ${MAX_PREFIX_HOURS}
   ) AS vv
   GROUP BY a.account_id, a.min_sends, vv.value
  HAVING sum(vv.ended) >= a.min_sends`;

/**
 * Lists the conversion of the prefixes of these accounts that have at least `minSends` codes. Reads every prefix of an
 * account up to a limit of 20,000 hours of them: call it only when a country or a key seems suspect.
 *
 * @param accounts each once
 */
export function listBusyPrefixes(db: EntityManager, accounts: GuardedAccount[]): Promise<Conversion[]> {
  return db.query(LIST_BUSY_PREFIXES, ACCOUNTS.values(accounts));
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

/**
 * Lists the traffic of an account that has at least `minSends` codes, or was suspected: the worst first, at most
 * `limit`.
 */
export function listGuardedTraffic(
  db: EntityManager,
  accountId: string,
  minSends: number,
  limit: number,
): Promise<GuardedTraffic[]> {
  return db.query(
    `SELECT dimension, value, sum(ended)::integer AS ended, sum(verified)::integer AS verified,
            sum(flagged)::integer AS flagged, sum(blocked)::integer AS blocked
       FROM verification_conversion
      WHERE account_id = $1
        AND ${RECENT}
      GROUP BY dimension, value
     HAVING sum(ended) >= $2 OR sum(flagged) + sum(blocked) > 0
      ORDER BY sum(verified)::float8 / GREATEST(sum(ended), 1), sum(ended) DESC, dimension, value
      LIMIT $3`,
    [accountId, minSends, limit],
  );
}
