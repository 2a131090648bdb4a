WITH deleted AS (
  DELETE FROM verification_quota
   WHERE ctid = ANY(ARRAY(
     SELECT ctid
       FROM verification_quota
      WHERE ctid >= $1::tid
        AND ctid < $2::tid
        AND used_at < now() - interval '25 hours'
        FOR UPDATE SKIP LOCKED
   ))
  RETURNING 1
)
SELECT count(*)::integer AS deleted,
       (pg_relation_size('verification_quota') / current_setting('block_size')::integer)::float8 AS pages
  FROM deleted;
