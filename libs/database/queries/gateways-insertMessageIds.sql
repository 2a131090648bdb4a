WITH given AS (
  SELECT *
    FROM unnest($1::text[], $2::text[], $3::uuid[], $4::integer[], $5::smallint[],
                $6::smallint[], $7::text[])
           AS given(gateway, gateway_message_id, submission_id, n, segment, segments,
                    recipient)
), stored AS (
  INSERT INTO gateway_message_id (gateway, gateway_message_id, submission_id, n, segment, segments, recipient, day)
  SELECT given.*, (now() AT TIME ZONE 'UTC')::date
    FROM given
  ON CONFLICT DO NOTHING
), woken AS (
  UPDATE orphan_report o
     SET next_try_at = now()
    FROM (
      SELECT waiting.id
        FROM given
       CROSS JOIN LATERAL (
         SELECT id
           FROM orphan_report
          WHERE gateway = given.gateway
            AND wake_id = given.gateway_message_id
            AND COALESCE(right(recipient, 7), '') = ANY(ARRAY[right(given.recipient, 7), ''])
            AND kind = 'report'
            AND status IS NOT NULL
          LIMIT 100
       ) AS waiting
       ORDER BY waiting.id
    ) AS woken
   WHERE o.id = woken.id
)
SELECT DISTINCT m.gateway, m.gateway_message_id AS "gatewayMessageId"
  FROM gateway_message_id m -- one scan of each day: a look-up for each row costs three times as much
 WHERE m.gateway = ANY($1::text[])
   AND m.gateway_message_id = ANY($8::text[])
   AND m.recipient = ANY($7::text[])
   AND m.day >= (now() AT TIME ZONE 'UTC')::date - 1;
