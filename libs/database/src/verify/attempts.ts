import { MAX_WRONG_CODES_PER_DAY } from '@signalbox/domain/verify/limits';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/** A typed code, blinded by `blindMac` so that its comparison reveals nothing. */
export interface CodeAttempt {
  verifyId: string;
  accountId: string;
  /** Under the pepper in use. */
  blinded: Buffer;
  /** Under the previous pepper; null when there is none. */
  blindedBefore: Buffer | null;
}

export interface AttemptOutcome {
  verifyId: string;
  accountId: string;
  /** `spent`: the verification has no attempts left. `locked`: its number has no wrong codes left for the day. */
  outcome: 'right' | 'wrong' | 'used' | 'expired' | 'spent' | 'locked';
  attemptsRemaining: number;
  /**
   * When locked, the seconds until the number is unlocked; when spent, the seconds until a new code may be requested.
   */
  waitSeconds: number;
}

const ATTEMPTS = rowset('t', {
  id: ['uuid', (attempt: CodeAttempt) => attempt.verifyId],
  account_id: 'uuid',
  blinded: 'bytea',
  blinded_before: 'bytea',
});

/** $5 nonce. */
const DECIDE = sql`
  WITH locked AS MATERIALIZED (
    -- locks numbers and verifications in one order before anything is decided: attempts of a number wait for each other
    SELECT v.id, v.account_id, v.config_id, v.created_at, v.recipient, v.is_test, v.status, v.attempts, v.max_attempts,
           v.status = 'EXPIRED' OR v.expires_at <= clock_timestamp() AS expired,
           COALESCE(sha256(v.code_mac || $5::bytea) IN (t.blinded, t.blinded_before), false) AS matches,
           ARRAY(
             SELECT w FROM unnest(vn.wrong_at) AS w WHERE w > clock_timestamp() - interval '1 day' ORDER BY w
           ) AS wrong_at
      FROM ${ATTEMPTS.from}
      JOIN verification v ON v.id = t.id AND v.account_id = t.account_id
      JOIN verification_number vn ON vn.account_id = v.account_id AND vn.recipient = v.recipient
     WHERE v.status <> 'REPLACED'
     ORDER BY v.account_id, v.recipient, v.id
       FOR UPDATE OF vn, v
  ), counted AS (
    -- of several attempts of one number, each leaves one less to the next
    SELECT *,
           CASE
             WHEN is_test THEN ${MAX_WRONG_CODES_PER_DAY}
             ELSE ${MAX_WRONG_CODES_PER_DAY} - cardinality(wrong_at)
                  - row_number() OVER (PARTITION BY account_id, recipient ORDER BY id) + 1
           END AS left_today
      FROM locked
  ), judged AS (
    SELECT *,
           CASE
             WHEN status = 'VERIFIED' THEN 'used'
             WHEN expired THEN 'expired'
             WHEN attempts >= max_attempts THEN 'spent'
             WHEN left_today <= 0 THEN 'locked'
             WHEN matches THEN 'right'
             ELSE 'wrong'
           END AS outcome
      FROM counted
  ), moved AS (
    UPDATE verification v
       SET status = CASE j.outcome WHEN 'right' THEN 'VERIFIED' ELSE v.status END,
           verified_at = CASE j.outcome WHEN 'right' THEN clock_timestamp() END,
           code_mac = CASE j.outcome WHEN 'wrong' THEN v.code_mac END,
           attempts = v.attempts + CASE j.outcome WHEN 'wrong' THEN 1 ELSE 0 END
      FROM judged j
     WHERE v.id = j.id
       AND j.outcome IN ('right', 'wrong')
       AND v.status IN ('WAITING', 'SENT')
       AND v.attempts < v.max_attempts
  ), wrong AS (
    UPDATE verification_number vn
       SET wrong_at = w.wrong_at || array_fill(clock_timestamp(), ARRAY[w.more])
      FROM (
        SELECT account_id, recipient, wrong_at, count(*)::integer AS more
          FROM judged
         WHERE outcome = 'wrong'
           AND NOT is_test
         GROUP BY account_id, recipient, wrong_at
      ) AS w
     WHERE vn.account_id = w.account_id
       AND vn.recipient = w.recipient
  )
  SELECT id AS "verifyId", account_id AS "accountId", outcome,
         GREATEST(0, LEAST(max_attempts - attempts, left_today) - 1)::integer AS "attemptsRemaining",
         COALESCE(extract(epoch FROM CASE outcome
           WHEN 'locked'
           THEN wrong_at[cardinality(wrong_at) - ${MAX_WRONG_CODES_PER_DAY - 1}] + interval '1 day'
           WHEN 'spent'
           THEN created_at + make_interval(secs => (
             SELECT resend_after_seconds FROM verification_config WHERE id = judged.config_id
           ))
         END - clock_timestamp()), 0)::float8 AS "waitSeconds"
    FROM judged`;

/**
 * Decides attempts: one statement compares, moves and counts. A code is compared only while its verification is open by the
 * database's clock, has an attempt left, and its number has had fewer than MAX_WRONG_CODES_PER_DAY wrong codes in the last
 * 24 hours. A batch must not contain two attempts of a verification by its account.
 *
 * @param nonce the nonce that the codes were blinded with
 * @returns the outcome of each verification that is the account's and was not replaced
 */
export function decideAttempts(
  db: EntityManager,
  attempts: CodeAttempt[],
  nonce: Buffer,
): Promise<AttemptOutcome[]> {
  return db.query(DECIDE, [...ATTEMPTS.values(attempts), nonce]);
}
