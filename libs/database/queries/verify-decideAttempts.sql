WITH locked AS MATERIALIZED (
  -- locks numbers and verifications in one order before anything is decided: attempts of a number wait for each other
  SELECT v.id, v.account_id, v.config_id, v.created_at, v.recipient, v.is_test, v.status, v.attempts, v.max_attempts,
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
  -- of several attempts of one number, each leaves one less to the next
  SELECT *,
         CASE
           WHEN is_test THEN 20
           ELSE 20 - cardinality(wrong_at)
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
         THEN wrong_at[cardinality(wrong_at) - 19] + interval '1 day'
         WHEN 'spent'
         THEN created_at + make_interval(secs => (
           SELECT resend_after_seconds FROM verification_config WHERE id = judged.config_id
         ))
       END - clock_timestamp()), 0)::float8 AS "waitSeconds"
  FROM judged;
