WITH number AS (
  DELETE FROM verification_number
   WHERE (account_id, recipient) IN (
     SELECT account_id, recipient
       FROM verification_number
      WHERE touched_at < now() - interval '25 hours'
      LIMIT 5000
        FOR UPDATE SKIP LOCKED
   )
  RETURNING 1
), quota AS (
  DELETE FROM verification_quota
   WHERE (account_id, quota) IN (
     SELECT account_id, quota
       FROM verification_quota
      WHERE used_at < now() - interval '25 hours'
      LIMIT 5000
        FOR UPDATE SKIP LOCKED
   )
  RETURNING 1
), guarded AS (
  DELETE FROM verification_conversion
   WHERE (account_id, dimension, value, hour) IN (
     SELECT account_id, dimension, value, hour
       FROM verification_conversion
      WHERE hour < now() - interval '50 hours'
      LIMIT 5000
        FOR UPDATE SKIP LOCKED
   )
  RETURNING 1
)
SELECT (
         (SELECT count(*) FROM number) + (SELECT count(*) FROM quota) + (SELECT count(*) FROM guarded)
       )::integer AS count;
