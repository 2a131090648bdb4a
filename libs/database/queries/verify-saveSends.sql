WITH number AS (
  SELECT *
    FROM unnest($1::uuid[], $2::text[], $3::jsonb[])
           AS given(account_id, recipient, sends)
), deleted AS (
  DELETE FROM verification_number vn
   USING number
   WHERE vn.account_id = number.account_id
     AND vn.recipient = number.recipient
     AND number.sends = '[]'
     AND vn.wrong_at = '{}'
)
UPDATE verification_number vn
   SET sends = number.sends
  FROM number
 WHERE vn.account_id = number.account_id
   AND vn.recipient = number.recipient
   AND number.sends <> '[]';
