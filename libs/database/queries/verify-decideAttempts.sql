WITH locked AS MATERIALIZED (
  -- locks numbers and verifications in one order before anything is decided: attempts of a number wait for each other
  SELECT v.id, v.account_id, v.config_id, v.recipient, v.is_test, v.status, v.attempts, v.max_attempts, vn.sends,
         v.status = 'EXPIRED' OR v.expires_at <= clock_timestamp() AS expired,
         COALESCE(sha256(v.code_mac || $5::bytea) IN (t.blinded, t.blinded_before), false) AS matches,
         ARRAY(
           SELECT w FROM unnest(vn.wrong_at) AS w WHERE w > clock_timestamp() - interval '1 day' ORDER BY w
         ) AS wrong_at
    FROM unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bytea[])
           AS t(id, account_id, blinded, blinded_before)
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
         20
         - CASE WHEN is_test THEN 0 ELSE cardinality(wrong_at) + wrong_before END AS left_today,
         -- the others of wrong_before found the number locked
         LEAST(wrong_before, GREATEST(0, 20 - cardinality(wrong_at))) AS compared_before
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
  FROM judged;
