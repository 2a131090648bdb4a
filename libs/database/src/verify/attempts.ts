import { MAX_WRONG_CODES_PER_DAY, type SendLimits } from '@signalbox/domain/verify/limits';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { listOf } from './quotas.ts';
import type { NumberState } from './verifications.ts';

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
  /** When locked or spent, what the wait for a new code depends on; null for a test number, and for other outcomes. */
  history: AttemptHistory | null;
}

/** The recent codes and wrong attempts of a number, and the configuration of the attempt. */
export interface AttemptHistory extends Pick<NumberState, 'sends' | 'wrongAt' | 'now'> {
  configId: string;
  /** Null for a configuration that is no longer stored. */
  limits: SendLimits | null;
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
    SELECT v.id, v.account_id, v.config_id, v.recipient, v.is_test, v.status, v.attempts, v.max_attempts, vn.sends,
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
    -- of several attempts of one number, each wrong one leaves one less to the next
    SELECT *,
           count(*) FILTER (
             WHERE NOT is_test AND NOT matches AND status <> 'VERIFIED' AND NOT expired AND attempts < max_attempts
           ) OVER (
             PARTITION BY account_id, recipient ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
           )::integer AS wrong_before
      FROM locked
  ), limited AS (
    SELECT *,
           ${MAX_WRONG_CODES_PER_DAY}
           - CASE WHEN is_test THEN 0 ELSE cardinality(wrong_at) + wrong_before END AS left_today,
           -- the others of wrong_before found the number locked
           LEAST(wrong_before, GREATEST(0, ${MAX_WRONG_CODES_PER_DAY} - cardinality(wrong_at))) AS compared_before
      FROM counted
  ), judged AS (
    SELECT *,
           CASE
             WHEN status = 'VERIFIED' THEN 'used'
             WHEN expired THEN 'expired'
             WHEN left_today <= 0 THEN 'locked'
             WHEN attempts >= max_attempts THEN 'spent'
             WHEN matches THEN 'right'
             ELSE 'wrong'
           END AS outcome
      FROM limited
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
         CASE WHEN outcome IN ('locked', 'spent') AND NOT is_test THEN json_build_object(
           'configId', config_id,
           'sends', sends,
           'wrongAt', ARRAY(
             SELECT extract(epoch FROM w) * 1000
               FROM unnest(wrong_at || array_fill(clock_timestamp(), ARRAY[compared_before])) AS w
           ),
           'now', extract(epoch FROM clock_timestamp()) * 1000,
           'limits', (
             SELECT json_build_object(
                      'resendAfterSeconds', resend_after_seconds,
                      'maxSendsPer10Minutes', max_sends_per_10_minutes,
                      'maxSendsPerDay', max_sends_per_day
                    )
               FROM verification_config
              WHERE id = config_id
           )
         ) END AS history
    FROM judged`;

/**
 * Decides attempts: one statement compares, moves and counts. A code is compared only while its verification is open by the
 * database's clock, has an attempt left, and its number has had fewer than MAX_WRONG_CODES_PER_DAY wrong codes in the last
 * 24 hours. A batch must not contain two attempts of a verification by its account.
 *
 * @param nonce the nonce that the codes were blinded with
 * @returns the outcome of each verification that is the account's and was not replaced
 */
export async function decideAttempts(
  db: EntityManager,
  attempts: CodeAttempt[],
  nonce: Buffer,
): Promise<AttemptOutcome[]> {
  const rows: AttemptOutcome[] = await db.query(DECIDE, [...ATTEMPTS.values(attempts), nonce]);
  return rows.map((row) => ({
    ...row,
    history: row.history && { ...row.history, sends: listOf(row.history.sends) },
  }));
}
