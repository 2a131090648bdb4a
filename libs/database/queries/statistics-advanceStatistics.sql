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

SELECT minute, barrier IS NOT NULL AS "hasBarrier"
  FROM message_stat_build
 WHERE due_at <= $1::timestamptz
 ORDER BY minute DESC
 LIMIT 1;

SELECT COALESCE(
         (SELECT barrier <= pg_snapshot_xmin(pg_current_snapshot())
            FROM message_stat_build
           WHERE minute = $1::timestamptz),
         false
       ) AS "isWhole"
 WHERE NOT EXISTS (SELECT FROM submission WHERE id >= $2::uuid AND id < $3::uuid)
   AND NOT EXISTS (SELECT FROM message_event WHERE id >= $2::uuid AND id < $3::uuid)
   AND NOT EXISTS (SELECT FROM message_stat_minute WHERE at = $1::timestamptz);

UPDATE message_stat_build
   SET due_at = $2, built_at = COALESCE($3, built_at)
 WHERE minute = $1;
