WITH deleted AS (
  DELETE FROM verification
   WHERE id IN (
     SELECT id
       FROM verification
      WHERE id < (
lpad(
to_hex((
 extract(epoch FROM now() - interval '25 hours') * 1000
)::bigint), 12, '0'
) || '70008000000000000000'
)::uuid
        AND counted
      ORDER BY id
      LIMIT 5000
   )
  RETURNING id, account_id, recipient
), steps AS (
  DELETE FROM verification_step vs
   USING deleted
   WHERE vs.verification_id = deleted.id
), number AS (
  DELETE FROM verification_number vn
   USING (SELECT DISTINCT account_id, recipient FROM deleted) AS g
   WHERE vn.account_id = g.account_id
     AND vn.recipient = g.recipient
     AND vn.touched_at < now() - interval '25 hours'
), quota AS (
  DELETE FROM verification_quota vq
   USING (SELECT DISTINCT account_id, left(recipient, -4) AS prefix FROM deleted) AS g
   WHERE vq.account_id = g.account_id
     AND vq.quota = 'prefix ' || g.prefix
     AND vq.used_at < now() - interval '2 hours'
), hours AS (
  DELETE FROM verification_conversion vv
   USING (SELECT DISTINCT account_id FROM deleted) AS g
   WHERE vv.account_id = g.account_id
     AND vv.hour < now() - interval '50 hours'
)
SELECT count(*)::integer AS deleted FROM deleted;
