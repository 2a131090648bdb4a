import type { EntityManager } from 'typeorm';

/** What the fraud guard looks at: numbers that differ in their last four digits only, countries, API keys. */
export type Dimension = 'prefix' | 'country' | 'key';

export interface Traffic {
  accountId: string;
  dimension: Dimension;
  value: string;
}

/** What became of the codes of some traffic in the last 24 hours; those that can still be used do not count yet. */
export interface Conversion extends Traffic {
  ended: number;
  verified: number;
}

/** The window of the guard, in whole hours as they are counted. */
const RECENT = `hour > now() - interval '24 hours'`;

/** What became of the codes of each of these; one without codes is left out. */
export function listConversions(db: EntityManager, traffic: Traffic[]): Promise<Conversion[]> {
  return db.query(
    `SELECT c.account_id AS "accountId", c.dimension, c.value, sum(c.ended)::integer AS ended, sum(c.verified)::integer AS verified
       FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::text[], $3::text[]) AS t(account_id, dimension, value)) AS t
       JOIN verification_conversion c ON c.account_id = t.account_id AND c.dimension = t.dimension AND c.value = t.value AND c.${RECENT}
      GROUP BY c.account_id, c.dimension, c.value`,
    trafficColumns(traffic),
  );
}

/** One code that the guard thinks ill of: only told of (flagged), or not sent (blocked). */
export interface Suspicion extends Traffic {
  action: 'flagged' | 'blocked';
}

/** Counts suspicions in their hour. */
export async function countSuspicions(db: EntityManager, suspicions: Suspicion[]): Promise<void> {
  if (suspicions.length === 0) return;
  await db.query(
    `INSERT INTO verification_conversion AS c (account_id, dimension, value, hour, flagged, blocked)
     SELECT account_id, dimension, value, date_trunc('hour', now(), 'UTC'), count(*) FILTER (WHERE action = 'flagged'),
            count(*) FILTER (WHERE action = 'blocked')
       FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) AS s(account_id, dimension, value, action)
      GROUP BY account_id, dimension, value ORDER BY account_id, dimension, value
     ON CONFLICT ON CONSTRAINT verification_conversion_pkey
     DO UPDATE SET flagged = c.flagged + EXCLUDED.flagged, blocked = c.blocked + EXCLUDED.blocked`,
    [...trafficColumns(suspicions), suspicions.map((suspicion) => suspicion.action)],
  );
}

/** Traffic of an account of the last 24 hours, as the guard sees it. */
export interface GuardedTraffic extends Omit<Conversion, 'accountId'> {
  flagged: number;
  blocked: number;
}

/** The traffic of an account that has enough codes to be judged, or was suspected: the worst first, at most `limit`. */
export function listGuardedTraffic(
  db: EntityManager,
  accountId: string,
  minSends: number,
  limit: number,
): Promise<GuardedTraffic[]> {
  return db.query(
    `SELECT dimension, value, sum(ended)::integer AS ended, sum(verified)::integer AS verified, sum(flagged)::integer AS flagged,
            sum(blocked)::integer AS blocked
       FROM verification_conversion WHERE account_id = $1 AND ${RECENT}
      GROUP BY dimension, value
     HAVING sum(ended) >= $2 OR sum(flagged) + sum(blocked) > 0
      ORDER BY sum(verified)::float8 / GREATEST(sum(ended), 1), sum(ended) DESC, dimension, value LIMIT $3`,
    [accountId, minSends, limit],
  );
}

function trafficColumns(traffic: Traffic[]): unknown[] {
  return [
    traffic.map((each) => each.accountId),
    traffic.map((each) => each.dimension),
    traffic.map((each) => each.value),
  ];
}
