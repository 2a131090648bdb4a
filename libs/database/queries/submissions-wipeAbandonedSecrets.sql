WITH stretch AS MATERIALIZED (
  SELECT id, fanned_out_at
    FROM submission
   WHERE sealed IS NOT NULL
     AND NOT waits
     AND id > $1::uuid
   ORDER BY id
   LIMIT 5000
), abandoned AS MATERIALIZED (
  SELECT s.id
    FROM stretch
    JOIN submission s ON s.id = stretch.id
   WHERE stretch.fanned_out_at < now() - interval '1 minute'
     AND NOT EXISTS (SELECT FROM message m WHERE m.submission_id = s.id AND m.status = 'PENDING')
   ORDER BY s.id
     FOR UPDATE OF s SKIP LOCKED
), wiped AS (
  UPDATE submission s
     SET sealed = NULL
    FROM abandoned
   WHERE s.id = abandoned.id
)
SELECT CASE WHEN count(*) = 5000 THEN max(id::text) END AS next
  FROM stretch;
