SELECT GREATEST(
(SELECT max(minute) + interval '1 minute' FROM message_stat_build),
CASE WHEN NOT EXISTS (SELECT FROM message_stat_build) THEN date_trunc('minute', LEAST(
$1::timestamptz,
GREATEST(
$1::timestamptz - interval '48 hours',
COALESCE((SELECT uuid_extract_timestamp(id) FROM submission ORDER BY id LIMIT 1), $1::timestamptz)
)
)) END
) AS start;

INSERT INTO message_stat_build (minute, due_at)
SELECT minute, minute
  FROM generate_series($1::timestamptz, $2::timestamptz, interval '1 minute') AS minute
ON CONFLICT DO NOTHING;

SELECT minute, barrier IS NOT NULL AS "hasBarrier", next_id AS "nextId", open::float8, spent_ms AS "spentMs",
       CASE
         WHEN next_id IS NULL THEN COALESCE(barrier <= pg_snapshot_xmin(pg_current_snapshot()), false)
         ELSE is_whole
       END AS "isWhole"
  FROM message_stat_build
 WHERE due_at <= $1::timestamptz
 ORDER BY minute DESC
 LIMIT 1;

SAVEPOINT typeorm_1;

SELECT
 WHERE NOT EXISTS (SELECT FROM submission WHERE id >= $2::uuid AND id < $3::uuid)
   AND NOT EXISTS (SELECT FROM message_event WHERE id >= $2::uuid AND id < $3::uuid)
   AND NOT EXISTS (SELECT FROM message_stat_minute WHERE at = $1::timestamptz);

UPDATE message_stat_build
   SET due_at = $2, built_at = $3, next_id = NULL, open = 0, spent_ms = 0
 WHERE minute = $1;

RELEASE SAVEPOINT typeorm_1;
