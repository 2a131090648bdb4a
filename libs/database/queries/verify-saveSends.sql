WITH held AS (
  SELECT *
    FROM unnest($1::uuid[], $2::text[], $3::jsonb[])
           AS given(account_id, recipient, sends)
), deleted AS (
  DELETE FROM verification_number vn
   USING held
   WHERE vn.account_id = held.account_id
     AND vn.recipient = held.recipient
     AND held.sends = '[]'
     AND vn.wrong_at = '{}'
)
UPDATE verification_number vn
   SET sends = held.sends
  FROM held
 WHERE vn.account_id = held.account_id
   AND vn.recipient = held.recipient
   AND held.sends <> '[]';
