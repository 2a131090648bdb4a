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
        FOR UPDATE SKIP LOCKED
   )
  RETURNING id, account_id, recipient
), steps AS (
  DELETE FROM verification_step vs
   USING deleted
   WHERE vs.verification_id = deleted.id
), number AS (
  DELETE FROM verification_number
   WHERE (account_id, recipient) IN (
     SELECT vn.account_id, vn.recipient
       FROM deleted
       JOIN verification_number vn ON vn.account_id = deleted.account_id AND vn.recipient = deleted.recipient
      WHERE vn.touched_at < now() - interval '25 hours'
        FOR UPDATE OF vn SKIP LOCKED
   )
), quota AS (
  DELETE FROM verification_quota
   WHERE (account_id, quota) IN (
     SELECT vq.account_id, vq.quota
       FROM deleted
       JOIN verification_quota vq
         ON vq.account_id = deleted.account_id
        AND vq.quota = 'prefix ' || left(deleted.recipient, -4)
      WHERE vq.used_at < now() - interval '2 hours'
        FOR UPDATE OF vq SKIP LOCKED
   )
)
SELECT count(*)::integer AS deleted FROM deleted;
