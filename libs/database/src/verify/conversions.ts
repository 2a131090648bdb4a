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

const ACCOUNTS = rowset('a', { account_id: 'uuid', min_sends: 'integer', min_conversion_percent: 'integer' });

const LIST_SUSPECTS = sql`
  SELECT a.account_id AS "accountId", a.min_sends AS "minSends",
         a.min_conversion_percent AS "minConversionPercent", vv.*
    FROM (
      SELECT DISTINCT *
        FROM ${ACCOUNTS.from}
    ) AS a
   CROSS JOIN LATERAL (
     SELECT dimension, value, sum(ended)::integer AS ended, sum(verified)::integer AS verified
       FROM verification_conversion
      WHERE account_id = a.account_id
        AND ${RECENT}
      GROUP BY dimension, value
     -- isSuspect of the fraud guard
     HAVING sum(ended) >= a.min_sends AND sum(verified) * 100 < a.min_conversion_percent * sum(ended)
      -- prefixes come last: no number of them leaves out a country or a key
      ORDER BY dimension, sum(ended) DESC, value
      LIMIT ${MAX_SUSPECTS}
   ) AS vv`;

/**
 * Lists the suspect traffic of these accounts, of each at most 1,000 countries, keys and prefixes: of the prefixes those
 * with the most codes. Reads all traffic of an account in the last 24 hours: do not call it while rows are locked.
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
