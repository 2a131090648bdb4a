SELECT i.inhparent::regclass::text AS parent, c.relname AS name
  FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid
 WHERE i.inhparent = ANY($1::regclass[])
   AND c.relname ~ '_(default|until_[0-9]{8})$'
 ORDER BY c.relname;

WITH gone AS (
  DELETE FROM push
   WHERE (webhook_id, report_id) IN (
     SELECT oldest.webhook_id, oldest.report_id
       FROM (SELECT id FROM webhook WHERE EXISTS (SELECT FROM push_default)) AS w,
            LATERAL (
              SELECT webhook_id, report_id
                FROM push_default
               WHERE webhook_id = w.id
                 AND report_id < (
                                   lpad(
                                     to_hex((
                                       extract(epoch FROM now() - make_interval(days => $1)) * 1000
                                     )::bigint), 12, '0'
                                   ) || '70008000000000000000'
                                 )::uuid
               ORDER BY report_id
               LIMIT $2
            ) AS oldest
      LIMIT $2
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM routing_event
   WHERE (id) IN (
     SELECT id
       FROM routing_event_default
      WHERE id < (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(days => $1)) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
      ORDER BY id
      LIMIT $2
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM push_attempt
   WHERE (id) IN (
     SELECT id
       FROM push_attempt
      WHERE id < (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(days => $1)) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
      ORDER BY id
      LIMIT $2
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM message_event
   WHERE (id) IN (
     SELECT id
       FROM message_event
      WHERE id < (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(days => $1)) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
      ORDER BY id
      LIMIT $2
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM inbound_message
   WHERE id IN (
     SELECT id
       FROM inbound_message
      WHERE id < (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(days => $1)) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
      ORDER BY id
      LIMIT $2
   )
  RETURNING account_id, sender, recipient, user_id
), party AS (
  SELECT gone.account_id, gone.recipient AS sender, identity.recipient
    FROM gone
   CROSS JOIN unnest(ARRAY[gone.sender, gone.user_id]) AS shown (recipient)
   CROSS JOIN LATERAL (
     SELECT shown.recipient AS recipient
      UNION
     SELECT unnest(ARRAY[same.msisdn, same.user_id])
       FROM chat_user known
       JOIN chat_user same ON same.account_id = known.account_id AND same.msisdn = known.msisdn
      WHERE known.account_id = gone.account_id
        AND (known.user_id = shown.recipient OR known.msisdn = shown.recipient)
   ) AS identity
), pair_gone AS (
  DELETE FROM chat_pair cp
   USING (
     SELECT DISTINCT account_id, sender, recipient
       FROM party
      ORDER BY account_id, sender, recipient
   ) AS pair
   WHERE cp.account_id = pair.account_id
     AND cp.sender = pair.sender
     AND cp.recipient = pair.recipient
     AND cp.paced_until < now() - make_interval(days => $1) + interval '1 hour'
     AND COALESCE(cp.last_inbound_at < now() - make_interval(days => $1) + interval '1 hour', true)
)
SELECT count(*)::integer AS count FROM gone;

WITH oldest AS (
  SELECT id, cardinality(recipients) AS messages
    FROM (
      SELECT id, recipients, fanned_out_at, expires_at
      FROM submission
      WHERE id > $3::uuid
        AND id < (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(days => $1)) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
      ORDER BY id
       LIMIT 20000
    ) AS submission
   WHERE fanned_out_at < now() - make_interval(days => $1)
     -- no NOT EXISTS, which may be planned as a hash of all messages
     AND (
       expires_at < now() - make_interval(days => $1)
       OR (
         SELECT true
           FROM message m
          WHERE m.submission_id = submission.id
            AND (m.status = 'PENDING' AND m.starts < 10
                 OR m.unconfirmed_at IS NOT NULL
                 OR GREATEST(m.sent_at, m.failed_at) >= now() - make_interval(days => $1))
          LIMIT 1
       ) IS NULL
     )
   ORDER BY id
   LIMIT $2
), old AS MATERIALIZED (
  -- as many submissions as have a batch of messages, the last in full
  SELECT id
    FROM (SELECT id, sum(messages) OVER (ORDER BY id) - messages AS others FROM oldest) AS counted
   WHERE others < $2
   ORDER BY id
), message_gone AS (
  DELETE FROM message m
   USING (
     SELECT submission_id, n
       FROM old
       JOIN message ON submission_id = old.id
      ORDER BY submission_id, n -- as late reports lock them
   ) AS each
   WHERE m.submission_id = each.submission_id
     AND m.n = each.n
  RETURNING m.account_id, m.recipient, m.submission_id, m.n
), recipient_gone AS (
  DELETE FROM message_recipient mr
   USING message_gone m
   WHERE mr.account_id = m.account_id
     AND mr.recipient = m.recipient
     AND mr.submission_id = m.submission_id
     AND mr.n = m.n
), click_gone AS (
  DELETE FROM short_link_click
   USING old
   WHERE submission_id = old.id
), total_gone AS (
  DELETE FROM short_link_total
   USING old
   WHERE submission_id = old.id
), discard_gone AS (
  DELETE FROM discarded_send
   USING old
   WHERE submission_id = old.id
), gone AS (
  DELETE FROM submission s
   USING old
   WHERE s.id = old.id
  RETURNING s.channel, s.account_id, s.sender, s.recipients
), party AS (
  SELECT account_id, sender, recipients[1] AS recipient
    FROM gone
   WHERE channel = 'chatapp'
), pair_gone AS (
  DELETE FROM chat_pair cp
   USING (
     SELECT DISTINCT account_id, sender, recipient
       FROM party
      ORDER BY account_id, sender, recipient
   ) AS pair
   WHERE cp.account_id = pair.account_id
     AND cp.sender = pair.sender
     AND cp.recipient = pair.recipient
     AND cp.paced_until < now() - make_interval(days => $1) + interval '1 hour'
     AND COALESCE(cp.last_inbound_at < now() - make_interval(days => $1) + interval '1 hour', true)
)
SELECT (SELECT count(*)::integer FROM gone) AS count,
       CASE
         WHEN (SELECT count(*) FROM oldest) = $2 OR (SELECT count(*) FROM old) < (SELECT count(*) FROM oldest)
         THEN (SELECT max(id::text) FROM old)
         ELSE (
           SELECT id::text
           FROM submission
           WHERE id > $3::uuid
             AND id < (
                        lpad(
                          to_hex((
                            extract(epoch FROM now() - make_interval(days => $1)) * 1000
                          )::bigint), 12, '0'
                        ) || '70008000000000000000'
                      )::uuid
           ORDER BY id
           OFFSET 19999
            LIMIT 1
         )
       END AS next;

WITH gone AS (
  DELETE FROM chat_user cu
   USING (
     SELECT account_id, user_id
       FROM (
         SELECT account_id, user_id
           FROM chat_user
                TABLESAMPLE SYSTEM (LEAST(100, 100.0 * 8388608 / GREATEST(pg_relation_size('chat_user'), 1)))
          WHERE seen_at < now() - make_interval(days => $1 + 1)
          LIMIT $2
       ) AS unseen
      ORDER BY account_id, user_id
   ) AS old
   WHERE cu.account_id = old.account_id
     AND cu.user_id = old.user_id
     AND cu.seen_at < now() - make_interval(days => $1 + 1)
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM callback
   WHERE (id) IN (
     SELECT id
       FROM callback
      WHERE id < (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(days => $1)) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
      ORDER BY id
      LIMIT $2
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH named AS MATERIALIZED (
  SELECT DISTINCT s.content #>> '{template,id}' AS id
    FROM (SELECT DISTINCT account_id FROM template WHERE deleted_at < now() - make_interval(days => $1)) AS owner
   CROSS JOIN LATERAL (
     SELECT content
       FROM submission
      WHERE account_id = owner.account_id
        AND channel = 'chatapp'
        AND waits
      UNION ALL
     SELECT s.content
       FROM ready_chat q
       JOIN submission s ON s.id = q.id
      WHERE q.account_id = owner.account_id
   ) AS s
), old AS MATERIALIZED (
  SELECT id, account_id
    FROM template
   WHERE deleted_at < now() - make_interval(days => $1)
     AND id::text NOT IN (SELECT id FROM named WHERE id IS NOT NULL)
   ORDER BY id
   LIMIT LEAST($2, 500)
), event_gone AS (
  DELETE FROM template_event te
   USING old
   WHERE te.template_id = old.id
), version_gone AS (
  DELETE FROM template_version tv
   USING old
   WHERE tv.template_id = old.id
  RETURNING tv.account_id, tv.components
), shown AS (
  SELECT DISTINCT v.account_id, h.handle #>> '{}' AS handle
    FROM version_gone v, jsonb_path_query(v.components, '$[*].example.header_handle[*]') AS h(handle)
), shown_elsewhere AS MATERIALIZED (
  SELECT DISTINCT tv.account_id, h.handle #>> '{}' AS handle
    FROM template t
    JOIN template_version tv ON tv.template_id = t.id
   CROSS JOIN LATERAL jsonb_path_query(tv.components, '$[*].example.header_handle[*]') AS h(handle)
   WHERE t.account_id = ANY(ARRAY(SELECT account_id FROM shown))
     AND t.id NOT IN (SELECT id FROM old)
), freed AS (
  UPDATE media f
     SET used_at = NULL, expires_at = now()
    FROM shown
   WHERE f.handle = shown.handle
     AND f.account_id = shown.account_id
     AND (f.account_id, f.handle) NOT IN (SELECT account_id, handle FROM shown_elsewhere)
), registration_gone AS (
  DELETE FROM template_registration tr
   USING old
   WHERE tr.template_id = old.id
), gone AS (
  DELETE FROM template t
   USING old
   WHERE t.id = old.id
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM push_replay
   WHERE id IN (
     SELECT id
       FROM push_replay
      WHERE id < (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(days => $1)) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
            AND finished_at < now() - make_interval(days => $1)
      LIMIT LEAST($2, 10000)
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM message_cancellation
   WHERE id IN (
     SELECT id
       FROM message_cancellation
      WHERE id < (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(days => $1)) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
            AND finished_at < now() - make_interval(days => $1)
      LIMIT LEAST($2, 10000)
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM webhook
   WHERE id IN (
     SELECT id
       FROM webhook w
      WHERE w.deleted_at < now() - make_interval(days => $1)
            AND NOT EXISTS (SELECT FROM push p WHERE p.webhook_id = w.id)
      LIMIT LEAST($2, 1000)
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM api_key
   WHERE id IN (
     SELECT id
       FROM api_key
      WHERE LEAST(revoked_at, expires_at) < now() - make_interval(days => $1)
      LIMIT LEAST($2, 1000)
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM verification_config
   WHERE id IN (
     SELECT id
       FROM verification_config
      WHERE deleted_at < now() - make_interval(days => $1)
      LIMIT LEAST($2, 1000)
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM chat_account
   WHERE id IN (
     SELECT id
       FROM chat_account ca
      WHERE ca.deleted_at < now() - make_interval(days => $1)
            -- once for all; the CASE reads no template while no chat account is that old
            AND CASE
                  WHEN ca.deleted_at < now() - make_interval(days => $1)
                  THEN ca.id NOT IN (SELECT chat_account_id FROM template)
                END
            AND NOT EXISTS (SELECT FROM chat_sender cs WHERE cs.chat_account_id = ca.id)
      LIMIT LEAST($2, 1000)
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM verification_stat
   WHERE (account_id, day, config_id, country) IN (
     SELECT oldest.account_id, oldest.day, oldest.config_id, oldest.country
       FROM account a,
            LATERAL (
              SELECT account_id, day, config_id, country
                FROM verification_stat
               WHERE account_id = a.id
                 AND day < current_date - GREATEST($1, 400)
               LIMIT $2
            ) AS oldest
      LIMIT $2
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM verification_latency
   WHERE (account_id, day, config_id, country, seconds) IN (
     SELECT oldest.account_id, oldest.day, oldest.config_id, oldest.country, oldest.seconds
       FROM account a,
            LATERAL (
              SELECT account_id, day, config_id, country, seconds
                FROM verification_latency
               WHERE account_id = a.id
                 AND day < current_date - GREATEST($1, 400)
               LIMIT $2
            ) AS oldest
      LIMIT $2
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM sender_assignment sa
   USING (
     SELECT msisdn
       FROM sender_assignment
      WHERE quarantined_until < now() - make_interval(days => $1)
      ORDER BY quarantined_until
      LIMIT $2
   ) AS old
   WHERE sa.msisdn = old.msisdn
     AND sa.quarantined_until < now() - make_interval(days => $1)
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM audit_event
   WHERE (id) IN (
     SELECT id
       FROM audit_event
      WHERE id < (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(days => GREATEST($1, 366))) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
      ORDER BY id
      LIMIT $2
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM template_event
   WHERE (id) IN (
     SELECT id
       FROM template_event
      WHERE id < (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(days => GREATEST($1, 366))) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
      ORDER BY id
      LIMIT $2
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM user_session
   WHERE (id) IN (
     SELECT id
       FROM user_session
      WHERE id < (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(days => LEAST($1, 7))) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
      ORDER BY id
      LIMIT $2
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;
