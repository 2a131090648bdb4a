SELECT count(*)::integer AS sends, COALESCE(sum(messages), 0)::integer AS messages
  FROM (
    SELECT (
             cardinality(s.recipients) - s.fanned_upto
             + (
               SELECT count(*)
                 FROM message
                WHERE submission_id = s.id
                  AND status = 'PENDING'
                      AND (held_until IS NOT NULL OR claimed_until <= now())
             )
           )::integer AS messages
      FROM (
        SELECT *
          FROM submission
         WHERE (account_id, campaign, id) >= ($1::uuid, $4::text, $2::uuid)
           AND (account_id, campaign, id) < ($1::uuid, $4::text, $3::uuid)
           AND campaign IS NOT NULL
         ORDER BY account_id DESC, campaign DESC, id DESC
         LIMIT 100000
      ) AS s
     WHERE ($4::text IS NULL OR s.campaign = $4)
           AND ($5::text IS NULL OR s.client_ref = $5)
           AND ($6::text IS NULL OR s.sender = $6)
           AND ($7::text IS NULL OR s.channel = $7)
           AND s.accepted_at >= $8::timestamptz
           AND s.accepted_at < $9::timestamptz
       AND s.expires_at > now()
       AND s.cancelled_at IS NULL
           AND (
             s.fanned_out_at IS NULL
             OR EXISTS (SELECT FROM message m WHERE m.submission_id = s.id AND m.status = 'PENDING')
           )
  ) AS counted
 WHERE messages > 0;
