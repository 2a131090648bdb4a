SAVEPOINT typeorm_1;

WITH made AS (
  SELECT *
    FROM unnest($1::uuid[], $2::bytea[], $3::uuid[])
           AS made(id, mac, submission_id)
), locked AS MATERIALIZED (
  SELECT v.id, made.mac, made.submission_id
    FROM made
    JOIN verification v ON v.id = made.id
   WHERE v.status = 'WAITING'
     AND v.expires_at > now()
   ORDER BY v.account_id, v.recipient, v.id
     FOR UPDATE OF v
), taken AS (
  UPDATE verification v
     SET status = CASE WHEN locked.mac IS NULL THEN 'EXPIRED' ELSE 'SENT' END,
         sent_at = CASE WHEN locked.mac IS NOT NULL THEN now() END,
         code_mac = locked.mac,
         submission_id = locked.submission_id
    FROM locked
   WHERE v.id = locked.id
     AND v.status = 'WAITING'
  RETURNING v.id, v.account_id, v.config_id, v.country, (v.created_at AT TIME ZONE 'UTC')::date AS day,
            v.sent_at IS NOT NULL AND NOT v.is_test AS counts
), counted AS (
  INSERT INTO verification_stat AS vt (account_id, day, config_id, country, sent, verified)
  SELECT account_id, day, config_id, country, count(*), 0
    FROM taken
   WHERE counts
   GROUP BY account_id, day, config_id, country
   ORDER BY account_id, day, config_id, country
  ON CONFLICT ON CONSTRAINT verification_stat_pkey DO UPDATE
     SET sent = vt.sent + EXCLUDED.sent
)
SELECT id FROM taken;

RELEASE SAVEPOINT typeorm_1;
