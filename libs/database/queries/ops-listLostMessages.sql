WITH batch AS (
  DELETE FROM claim_batch
   WHERE id IN (
     SELECT due.id
       FROM unnest($1::text[]) AS wanted(lane)
      CROSS JOIN LATERAL (
        SELECT id, sum(messages) OVER (ORDER BY due_at, id) - messages AS before
          FROM (
            SELECT id, due_at, messages
              FROM claim_batch
             WHERE lane = wanted.lane
               AND due_at <= now()
             ORDER BY due_at, id
             LIMIT 2000
               FOR UPDATE SKIP LOCKED
          ) AS free
      ) AS due
      WHERE before < 100000
   )
  RETURNING lane, submission_ids, froms, uptos
), candidate AS MATERIALIZED (
  SELECT DISTINCT batch.lane, waiting.submission_id, waiting.n
    FROM batch
   CROSS JOIN LATERAL (
     (
       -- the only message of most submissions
       SELECT m.submission_id, m.n
         FROM message m
        WHERE m.submission_id = ANY(batch.submission_ids)
          AND m.n = 1
          AND CASE WHEN
                m.status IN ('PENDING', 'SENT')
                AND m.held_until IS NULL
                AND m.due_at IS NULL
              THEN true END
       OFFSET 0
     )
     UNION ALL
     SELECT further.submission_id, further.n
       FROM unnest(submission_ids, froms, uptos) AS chunk(id, fanned_from, fanned_upto)
      CROSS JOIN LATERAL (
        SELECT m.submission_id, m.n
          FROM message m
         WHERE m.submission_id = chunk.id
           AND m.n > GREATEST(chunk.fanned_from, 1)
           AND m.n <= chunk.fanned_upto
           AND CASE WHEN
                 m.status IN ('PENDING', 'SENT')
                 AND m.held_until IS NULL
                 AND m.due_at IS NULL
               THEN true END
        OFFSET 0
      ) AS further
      WHERE chunk.fanned_upto > 1
   ) AS waiting
), locked AS MATERIALIZED (
  SELECT candidate.lane, m.submission_id, m.n
    FROM candidate
    JOIN message m ON m.submission_id = candidate.submission_id AND m.n = candidate.n
   ORDER BY m.submission_id, m.n
     FOR UPDATE OF m SKIP LOCKED
), kept AS (
  INSERT INTO claim_batch (lane, due_at, messages, submission_ids, froms, uptos)
  SELECT lane, now() + interval '1 second', count(*), array_agg(submission_id), array_agg(n - 1), array_agg(n)
    FROM (TABLE candidate EXCEPT ALL TABLE locked) AS missed
   GROUP BY lane
)
UPDATE message m
   SET due_at = CASE
                  WHEN m.status = 'SENT' THEN m.sent_at + make_interval(secs => 10)
                  WHEN m.starts >= 10 THEN 'infinity'
                  ELSE m.claimed_until + interval '1 second'
                END,
       asks = CASE m.status WHEN 'SENT' THEN m.gateway END,
       lane = locked.lane
  FROM locked
 WHERE m.submission_id = locked.submission_id
   AND m.n = locked.n
   AND CASE WHEN
         m.status IN ('PENDING', 'SENT')
         AND m.held_until IS NULL
         AND m.due_at IS NULL
       THEN true END;

UPDATE message m
   SET due_at = CASE m.status WHEN 'SENT' THEN m.sent_at + make_interval(secs => 10) END,
       asks = CASE m.status WHEN 'SENT' THEN m.gateway END
  FROM (
    SELECT moved.submission_id, moved.n
      FROM unnest($1::text[]) AS wanted(lane)
     CROSS JOIN LATERAL (
       SELECT submission_id, n
         FROM message
        WHERE lane = wanted.lane
          AND asks IS NULL
          AND due_at IS NOT NULL
          AND due_at < now()
          AND status <> 'PENDING'
        LIMIT 5000
          FOR UPDATE SKIP LOCKED
     ) AS moved
  ) AS moved
 WHERE m.submission_id = moved.submission_id
   AND m.n = moved.n;

WITH listed AS (
  UPDATE message m
     SET due_at = now() + make_interval(secs => 10)
    FROM (
      SELECT lost.submission_id, lost.n
        FROM unnest($1::text[]) AS wanted(lane)
       CROSS JOIN LATERAL (
         SELECT submission_id, n
           FROM message
          WHERE lane = wanted.lane
            AND asks IS NULL
            AND due_at IS NOT NULL
            AND due_at < now()
            AND status = 'PENDING'
            AND held_until IS NULL
            AND starts < 10
            AND claimed_until < now() - interval '1 second'
          ORDER BY due_at
          LIMIT 5000
            FOR UPDATE SKIP LOCKED
       ) AS lost
    ) AS lost
   WHERE m.submission_id = lost.submission_id
     AND m.n = lost.n
  RETURNING m.lane, m.submission_id
)
SELECT lane, array_agg(DISTINCT submission_id) AS "submissionIds"
  FROM listed
 GROUP BY lane;
