WITH taken AS (
  DELETE FROM short_link_click
   WHERE id IN (
     SELECT id
       FROM short_link_click
      ORDER BY id
      LIMIT 10000
        FOR UPDATE SKIP LOCKED
   )
  RETURNING submission_id, n, link, kind, account_id, clicked_at
), added AS (
  INSERT INTO short_link_total AS lt (submission_id, n, link, kind, account_id, clicks, first_at, last_at)
  SELECT submission_id, n, link, kind, account_id, count(*), min(clicked_at), max(clicked_at)
    FROM taken
   GROUP BY submission_id, n, link, kind, account_id
   ORDER BY submission_id, n, link, kind
  ON CONFLICT ON CONSTRAINT short_link_total_pkey DO UPDATE
     SET clicks = LEAST(lt.clicks::bigint + EXCLUDED.clicks, 2147483647),
         first_at = LEAST(lt.first_at, EXCLUDED.first_at),
         last_at = GREATEST(lt.last_at, EXCLUDED.last_at)
)
SELECT count(*)::integer AS count FROM taken;
