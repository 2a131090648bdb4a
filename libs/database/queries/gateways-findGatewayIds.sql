SELECT m.gateway_message_id AS "gatewayMessageId", m.submission_id AS "submissionId", m.n, m.recipient
  FROM unnest($2::text[]) AS given(id),
       LATERAL (
         SELECT *
           FROM gateway_message_id m
          WHERE m.gateway = $1
            AND m.gateway_message_id = given.id
          LIMIT 50
       ) AS m;
