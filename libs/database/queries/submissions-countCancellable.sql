SELECT count(*)::integer AS sends,
       COALESCE(sum(cardinality(s.recipients) - s.fanned_upto + waiting.messages), 0)::integer AS messages,
       -- later than what was accepted before, to the millisecond
       date_trunc('milliseconds', now()) + interval '1 millisecond' AS at
  FROM (
    SELECT judged.*,
           (count(*) OVER ())::integer AS walked,
           COALESCE(
             sum(fanned_upto) FILTER (WHERE matches) OVER (
               ORDER BY id DESC
               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
             ),
             0
           ) AS newer
      FROM (
        SELECT s.id, s.recipients, s.fanned_upto, s.fanned_out_at, s.cancelled_at,
               ($4::text IS NULL OR s.campaign = $4)
               AND ($5::text IS NULL OR s.client_ref = $5)
               AND ($6::text IS NULL OR s.sender = $6)
               AND ($7::text IS NULL OR s.channel = $7)
               AND s.accepted_at >= $8::timestamptz
               AND s.accepted_at < $9::timestamptz
                 AND s.expires_at > now()
                 AND s.cancelled_at IS NULL AS matches
          FROM (
            SELECT *
              FROM submission
             WHERE (account_id, campaign, id) >= ($1::uuid, $4::text, $2::uuid)
               AND (account_id, campaign, id) < ($1::uuid, $4::text, $3::uuid)
               AND campaign IS NOT NULL
             ORDER BY account_id DESC, campaign DESC, id DESC
             LIMIT 100000
          ) AS s
      ) AS judged
  ) AS s
 CROSS JOIN LATERAL (
   SELECT count(*) AS messages
     FROM message
    WHERE submission_id = s.id
      AND status = 'PENDING'
          AND (held_until IS NOT NULL OR claimed_until <= now())
          AND starts < 10 -- a parked one stays
      AND s.newer < 500000
 ) AS waiting
 WHERE s.matches
   AND cardinality(s.recipients) - s.fanned_upto + waiting.messages > 0;
