import type { EntityManager } from 'typeorm';
import { firstIdAtSql } from '../ops/retention.ts';

/** The most rows of one pass. */
const BATCH = 5_000;

/** Ends open verifications whose time is over, by the database's clock, and wipes what is kept of their codes. @returns how many */
export async function expireVerifications(db: EntityManager): Promise<number> {
  const [, count] = (await db.query(
    `UPDATE verification SET status = 'EXPIRED', code_mac = NULL
      WHERE id IN (SELECT id FROM verification WHERE status IN ('WAITING', 'SENT') AND expires_at <= now()
                    ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  )) as [unknown[], number];
  return count;
}

/**
 * Counts verifications that have ended, each once, in the statistics of the day they were made on, and in what the fraud guard looks at.
 * Test numbers, and verifications that never got a code, count nowhere.
 *
 * @returns how many were taken
 */
export async function countEnded(db: EntityManager): Promise<number> {
  const [row]: { taken: number }[] = await db.query(
    `WITH taken AS MATERIALIZED (
       UPDATE verification SET counted = true
        WHERE id IN (SELECT id FROM verification WHERE NOT counted AND status IN ('VERIFIED', 'EXPIRED', 'REPLACED')
                      ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
       RETURNING account_id, config_id, country, left(recipient, -4) AS prefix, key_id::text AS key, created_at, status = 'VERIFIED' AS ok,
                 LEAST(ceil(extract(epoch FROM verified_at - created_at)), 32767)::smallint AS seconds, NOT is_test AND sent_at IS NOT NULL AS counts
     ), ended AS (
       SELECT *, (created_at AT TIME ZONE 'UTC')::date AS day, date_trunc('hour', created_at, 'UTC') AS hour FROM taken WHERE counts
     ), stat AS (
       INSERT INTO verification_stat AS s (account_id, day, config_id, country, sent, verified)
       SELECT account_id, day, config_id, country, 0, count(*) FROM ended WHERE ok
        GROUP BY account_id, day, config_id, country ORDER BY account_id, day, config_id, country
       ON CONFLICT ON CONSTRAINT verification_stat_pkey DO UPDATE SET verified = s.verified + EXCLUDED.verified
     ), latency AS (
       INSERT INTO verification_latency AS l (account_id, day, config_id, country, seconds, verified)
       SELECT account_id, day, config_id, country, seconds, count(*) FROM ended WHERE ok
        GROUP BY account_id, day, config_id, country, seconds ORDER BY account_id, day, config_id, country, seconds
       ON CONFLICT ON CONSTRAINT verification_latency_pkey DO UPDATE SET verified = l.verified + EXCLUDED.verified
     ), conversion AS (
       INSERT INTO verification_conversion AS c (account_id, dimension, value, hour, ended, verified)
       SELECT account_id, d.dimension, d.value, hour, count(*), count(*) FILTER (WHERE ok)
         FROM ended, LATERAL (VALUES ('prefix', prefix), ('country', country), ('key', key)) AS d(dimension, value)
        GROUP BY account_id, d.dimension, d.value, hour ORDER BY account_id, d.dimension, d.value, hour
       ON CONFLICT ON CONSTRAINT verification_conversion_pkey DO UPDATE SET ended = c.ended + EXCLUDED.ended, verified = c.verified + EXCLUDED.verified
     )
     SELECT count(*)::integer AS taken FROM taken`,
  );
  return row?.taken ?? 0;
}

/** A verification is kept so long after it was made, at least a day after its code ended. */
const KEPT_HOURS = 25;

/**
 * Deletes verifications that are over for a day, with their steps, what was remembered of their numbers, the quotas of their prefixes, and old hours of the
 * fraud guard. The statistics of days stay.
 *
 * @returns how many verifications went
 */
export async function sweepVerifications(db: EntityManager): Promise<number> {
  const [row]: { gone: number }[] = await db.query(
    `WITH gone AS (
       DELETE FROM verification WHERE id IN (
         SELECT id FROM verification WHERE id < ${firstIdAtSql(`now() - interval '${KEPT_HOURS} hours'`)} AND counted ORDER BY id LIMIT ${BATCH})
       RETURNING id, account_id, recipient
     ), steps AS (
       DELETE FROM verification_step s USING gone WHERE s.verification_id = gone.id
     ), number AS (
       DELETE FROM verification_number n USING (SELECT DISTINCT account_id, recipient FROM gone) AS g
        WHERE n.account_id = g.account_id AND n.recipient = g.recipient AND n.touched_at < now() - interval '${KEPT_HOURS} hours'
     ), quota AS (
       DELETE FROM verification_quota q USING (SELECT DISTINCT account_id, left(recipient, -4) AS prefix FROM gone) AS g
        WHERE q.account_id = g.account_id AND q.quota = 'prefix ' || g.prefix AND q.used_at < now() - interval '2 hours'
     ), hours AS (
       DELETE FROM verification_conversion c USING (SELECT DISTINCT account_id FROM gone) AS g
        WHERE c.account_id = g.account_id AND c.hour < now() - interval '${2 * KEPT_HOURS} hours'
     )
     SELECT count(*)::integer AS gone FROM gone`,
  );
  return row?.gone ?? 0;
}
