WITH dead AS (
  DELETE FROM live_worker
   WHERE (fleet, id) IN (
     SELECT fleet, id
       FROM live_worker
      WHERE fleet = $1
        AND id <> $2
        AND seen_at < now() - interval '3 seconds'
        FOR UPDATE SKIP LOCKED
   )
), me AS (
  INSERT INTO live_worker (fleet, id, seen_at)
  VALUES ($1, $2, now())
  ON CONFLICT ON CONSTRAINT live_worker_pkey DO UPDATE
     SET seen_at = now()
)
SELECT $2::uuid AS id, clock_timestamp() AS at
 UNION ALL
SELECT id, clock_timestamp()
  FROM live_worker
 WHERE fleet = $1
   AND id <> $2
   AND seen_at >= now() - interval '3 seconds';
