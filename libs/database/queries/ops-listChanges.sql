SELECT account_id AS "accountId", 'message' AS kind, id::text AS id, id::text AS "shownId"
  FROM unnest($1::uuid[]) AS wanted(account_id)
 CROSS JOIN LATERAL (
   SELECT id
     FROM submission
    WHERE account_id = wanted.account_id
      AND id >= (
                  lpad(
                    to_hex((
                      extract(epoch FROM now() - make_interval(secs => $2)) * 1000
                    )::bigint), 12, '0'
                  ) || '70008000000000000000'
                )::uuid
    ORDER BY id DESC
    LIMIT 500
 ) AS sent
UNION ALL
SELECT account_id, 'message', id::text, id::text
  FROM unnest($1::uuid[]) AS wanted(account_id)
 CROSS JOIN LATERAL (
   SELECT id
     FROM inbound_message
    WHERE account_id = wanted.account_id
      AND id >= (
                  lpad(
                    to_hex((
                      extract(epoch FROM now() - make_interval(secs => $2)) * 1000
                    )::bigint), 12, '0'
                  ) || '70008000000000000000'
                )::uuid
    ORDER BY id DESC
    LIMIT 500
 ) AS written
UNION ALL
SELECT s.account_id, 'message', r.id::text, r.submission_id || ':' || r.n
  FROM (
    SELECT id, submission_id, n
      FROM message_event
     WHERE id >= (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(secs => $2)) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
     ORDER BY id DESC
     LIMIT 500
  ) AS r
  JOIN submission s ON s.id = r.submission_id
 WHERE s.account_id = ANY($1::uuid[])
UNION
SELECT s.account_id, 'message', moved.id::text, s.id || ':' || moved.n
  FROM unnest($1::uuid[]) AS wanted(account_id)
 CROSS JOIN LATERAL (
   SELECT id, account_id
     FROM submission
    WHERE account_id = wanted.account_id
    ORDER BY id DESC
    LIMIT least(50, greatest(1, 1000 / cardinality($1::uuid[])))
 ) AS s
 CROSS JOIN LATERAL (
   SELECT n, moved_by[cardinality(moved_by)] AS id
     FROM message
    WHERE submission_id = s.id
    ORDER BY n
    LIMIT 20
 ) AS moved
 WHERE moved.id >= (
                     lpad(
                       to_hex((
                         extract(epoch FROM now() - make_interval(secs => $2)) * 1000
                       )::bigint), 12, '0'
                     ) || '70008000000000000000'
                   )::uuid
UNION ALL
SELECT s.account_id, 'message', claimed.id || ' ' || s.id, s.id::text
  FROM (
    SELECT batch.id, part.submission_id
      FROM (
        SELECT id, submission_ids
          FROM claim_batch
         WHERE id >= (
                       lpad(
                         to_hex((
                           extract(epoch FROM now() - make_interval(secs => $2)) * 1000
                         )::bigint), 12, '0'
                       ) || '70008000000000000000'
                     )::uuid
         ORDER BY id DESC
         LIMIT 20
      ) AS batch
     CROSS JOIN LATERAL unnest(batch.submission_ids[1:100]) AS part(submission_id)
  ) AS claimed
  JOIN submission s ON s.id = claimed.submission_id
 WHERE s.account_id = ANY($1::uuid[])
UNION ALL
SELECT account_id, 'message', id || ' ' || examined, NULL
  FROM message_cancellation
 WHERE status = 'RUNNING'
   AND account_id = ANY($1::uuid[])
UNION ALL
SELECT w.account_id, 'delivery', pushed.report_id::text, w.id::text
  FROM webhook w
 CROSS JOIN LATERAL (
   SELECT p.report_id
     FROM push p
    WHERE p.webhook_id = w.id
      AND p.report_id >= (
                           lpad(
                             to_hex((
                               extract(epoch FROM now() - make_interval(secs => $2)) * 1000
                             )::bigint), 12, '0'
                           ) || '70008000000000000000'
                         )::uuid
    ORDER BY p.report_id DESC
    LIMIT 20
 ) AS pushed
 WHERE w.account_id = ANY($1::uuid[])
   AND w.deleted_at IS NULL
UNION ALL
SELECT event.account_id, 'delivery', event.id::text, event.webhook_id::text
  FROM (
    SELECT id, account_id, webhook_id
      FROM push_attempt
     WHERE id >= (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(secs => $2)) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
     ORDER BY id DESC
     LIMIT 500
  ) AS event
 WHERE event.account_id = ANY($1::uuid[])
UNION ALL
SELECT w.account_id, 'delivery', concat_ws(' ', w.id, calls.calls, waiting.next_attempt_at), w.id::text
  FROM webhook w
  LEFT JOIN endpoint_hour calls ON calls.webhook_id = w.id AND calls.hour = date_trunc('hour', now())
  LEFT JOIN LATERAL (
    SELECT next_attempt_at
      FROM push
     WHERE webhook_id = w.id
       AND next_attempt_at IS NOT NULL
     ORDER BY next_attempt_at
     LIMIT 1
  ) AS waiting ON true
 WHERE w.account_id = ANY($1::uuid[])
   AND w.deleted_at IS NULL
UNION ALL
SELECT account_id, 'delivery', id || ' ' || replayed, webhook_id::text
  FROM push_replay
 WHERE status = 'RUNNING'
   AND account_id = ANY($1::uuid[])
UNION ALL
SELECT event.account_id, 'template', event.id::text, event.template_id::text
  FROM (
    SELECT id, account_id, template_id
      FROM template_event
     WHERE id >= (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(secs => $2)) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
     ORDER BY id DESC
     LIMIT 500
  ) AS event
 WHERE event.account_id = ANY($1::uuid[])
UNION ALL
SELECT account_id, 'phone', submission_id::text, submission_id || ':' || n
  FROM (
    SELECT account_id, submission_id, n, row_number() OVER (PARTITION BY account_id ORDER BY received_at DESC) AS place
      FROM phone_message
     WHERE received_at >= now() - make_interval(secs => $2)
       AND account_id = ANY($1::uuid[])
  ) AS shown
 WHERE place <= 500;
