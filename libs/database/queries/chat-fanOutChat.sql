WITH RECURSIVE ready_sender AS (
  (SELECT sender, 1 AS place
     FROM ready_chat
    WHERE lane = $1
      AND sender > $2
    ORDER BY sender
    LIMIT 1)
  UNION ALL
  SELECT next.sender, ready_sender.place + 1
    FROM ready_sender
   CROSS JOIN LATERAL (
     SELECT sender
       FROM ready_chat
      WHERE lane = $1
        AND sender > ready_sender.sender
      ORDER BY sender
      LIMIT 1
   ) AS next
   WHERE ready_sender.place < $3::integer
), locked AS (
  -- `capacity`: the burst, 0.25 s of the rate, but at least 2: a message and a code. `kept`: the tokens left to
  -- codes. `base`: `paced_until`, but no earlier than that of a full bucket
  SELECT cs.msisdn, cs.account_id AS owner, cs.messages_per_second AS rate, reserve.kept,
         GREATEST(cs.paced_until, now() - make_interval(secs => bucket.capacity / cs.messages_per_second)) AS base
    FROM chat_sender cs
   CROSS JOIN LATERAL (SELECT GREATEST(cs.messages_per_second * 0.25, 2) AS capacity) AS bucket
   CROSS JOIN LATERAL (SELECT GREATEST(capacity * 0.2, 1) AS kept) AS reserve
   WHERE cs.msisdn IN (SELECT sender FROM ready_sender)
     AND cs.paced_until <= now() - make_interval(secs => (1.0 + reserve.kept) / cs.messages_per_second)
   ORDER BY cs.msisdn
     FOR NO KEY UPDATE OF cs SKIP LOCKED
), share AS (
  -- accounts have equal parts of the budget, and the senders of an account equal parts of that: each at least one
  -- message, and at most its tokens. Senders that are not locked have no owner and count as one account
  -- (`max(nth_account)` is the number of accounts). They have no tokens, unless the number is nobody's
  SELECT *,
         LEAST(
           tokens,
           GREATEST($4::integer / max(nth_account) OVER () / count(*) OVER (PARTITION BY owner), 1)
         )::integer AS quantum
    FROM (
      SELECT q.sender, locked.owner, locked.base, locked.rate,
             dense_rank() OVER (ORDER BY locked.owner) AS nth_account,
             CASE
               WHEN locked.msisdn IS NOT NULL
               -- times are rounded to microseconds, which must cost no token
               THEN floor(extract(epoch FROM now() - locked.base) * locked.rate - locked.kept + 0.001)
               WHEN EXISTS (SELECT FROM chat_sender cs WHERE cs.msisdn = q.sender) THEN 0
               -- nobody's number: its messages end, which costs no tokens
               ELSE $4::integer
             END AS tokens
        FROM ready_sender q
        -- a left join would do, but the planner expects few rows, and a full join rules out a nested loop
        FULL JOIN locked ON locked.msisdn = q.sender
    ) AS counted
), picked AS (
  SELECT share.base, share.rate, share.tokens, share.quantum, oldest.*
    FROM share
   CROSS JOIN LATERAL (
     SELECT s.id, s.account_id, s.sender, s.recipients[1] AS recipient, s.held_until, q.ctid AS listed_at,
            COALESCE(
              CASE
                WHEN s.cancelled_at IS NOT NULL THEN 'cancelled'
                WHEN s.expires_at <= now() THEN 'expired'
              END,
              CASE WHEN
                (s.lane NOT IN ('OTP', 'CHAT_OTP') AND (
                  SELECT o.sender
                    FROM opt_out o
                   WHERE o.account_id = s.account_id
                     AND o.recipient = s.recipients[1]
                     AND CASE WHEN o.sender IN ('', s.sender) THEN true END
                   ORDER BY o.sender
                   LIMIT 1
                ) IS NOT NULL)
              THEN 'opted_out' END,
              CASE WHEN s.account_id IS DISTINCT FROM share.owner THEN 'sender_gone' END
            ) AS ending,
            s.fanned_out_at IS NULL AND NOT s.waits AS is_ready
       FROM ready_chat q
       JOIN submission s ON s.id = q.id
      WHERE q.lane = $1
        AND q.sender = share.sender
      ORDER BY q.id
      LIMIT share.quantum
        FOR UPDATE OF s SKIP LOCKED
   ) AS oldest
), numbered AS (
  -- `counts_for`: the recipient whose pace it counts for; null for a message that ends, and for one that waited, which
  -- was counted before
  SELECT *,
         row_number() OVER (of_pair ORDER BY id) AS nth_of_pair,
         count(*) OVER of_pair AS in_pair
    FROM (
      SELECT *, CASE WHEN ending IS NULL AND held_until IS NULL THEN recipient END AS counts_for
        FROM picked
       WHERE is_ready
    ) AS judged
  WINDOW of_pair AS (PARTITION BY account_id, sender, counts_for)
), pair AS (
  INSERT INTO chat_pair AS p (account_id, sender, recipient, paced_until)
  SELECT account_id, sender, counts_for, now() + make_interval(secs => in_pair * 6)
    FROM numbered
   WHERE nth_of_pair = 1
     AND counts_for IS NOT NULL
   ORDER BY account_id, sender, counts_for
  ON CONFLICT ON CONSTRAINT chat_pair_pkey DO UPDATE
     -- from where it is, or from now if the pair was idle; EXCLUDED has now() plus the time of these messages
     SET paced_until = GREATEST(p.paced_until, now()) + (EXCLUDED.paced_until - now())
  RETURNING account_id, sender, recipient, paced_until
), planned AS (
  -- `paced_until` counts all `in_pair` messages. After this one, the pair was at a time that is
  -- (in_pair - nth_of_pair) * 6 s earlier, and the message may leave 45 * 6 s before that time. `leaves_at` is
  -- null, and the message leaves now, when it ends or has waited before
  SELECT *, leaves_at IS NULL OR leaves_at <= now() AS leaves_now
    FROM (
      SELECT n.id, n.sender, n.recipient, n.ending, n.base, n.rate, n.tokens, n.quantum,
             pair.paced_until - make_interval(secs => (n.in_pair - n.nth_of_pair + 45) * 6)
               AS leaves_at
        FROM numbered n
        -- full only to rule out a nested loop: each pair is of a message of `numbered`
        FULL JOIN pair
          ON pair.account_id = n.account_id AND pair.sender = n.sender AND pair.recipient = n.counts_for
    ) AS timed
), used AS (
  -- a message that waits costs a token when it leaves. The columns of `share` are carried along, to avoid a join
  SELECT sender, base, rate, tokens, quantum,
         count(*) AS messages, count(*) FILTER (WHERE leaves_now AND ending IS NULL) AS spent
    FROM planned
   GROUP BY sender, base, rate, tokens, quantum
), charged AS (
  UPDATE chat_sender cs
     SET paced_until = used.base + make_interval(secs => used.spent / used.rate::float8)
    FROM used
   WHERE cs.msisdn = used.sender
     AND used.spent > 0
), unmarked AS (
  UPDATE submission s
     SET listed = false
    FROM picked p
   WHERE s.id = p.id
     AND NOT p.is_ready
     AND s.waits
     AND s.listed
), removed AS (
  -- no row of `picked` stays listed: its message leaves or waits, or the row was outdated
  DELETE FROM ready_chat
   WHERE ctid = ANY(ARRAY(SELECT listed_at FROM picked))
), moved AS (
  UPDATE submission s
     SET fanned_upto = CASE WHEN p.leaves_now THEN 1 ELSE 0 END,
         fanned_out_at = CASE WHEN p.leaves_now THEN now() END,
         waits = NOT p.leaves_now,
         -- false while it waits. A worker of the previous version may end the wait without adding a row to the list:
         -- `makeDueReady` then adds it, because the submission neither waits nor is listed
         listed = p.leaves_now,
         held_until = CASE WHEN NOT p.leaves_now THEN p.leaves_at END,
         -- a code that is not sent is not kept
         sealed = CASE WHEN p.ending IS NULL THEN s.sealed END,
         due_at = CASE WHEN p.leaves_now THEN s.due_at ELSE LEAST(p.leaves_at, s.expires_at) END
    FROM planned p
   WHERE s.id = p.id
  -- `fanned_from` is always 0 here
  RETURNING s.id, s.account_id, s.lane, s.sender, p.recipient, s.kind, s.content, s.sealed, s.credits,
            s.fanned_from, s.fanned_upto, p.ending, p.leaves_now
), inserted AS (
  INSERT INTO message (submission_id, n, account_id, lane, recipient, credits, claimed_until, due_at,
                       status, err_code, status_description, failed_at, moved_by)
  SELECT id, 1, account_id, lane, recipient, credits, now() + make_interval(secs => $5),
         NULL, -- not the default, which is for the previous version
         CASE WHEN ending IS NULL THEN 'PENDING' ELSE 'FAILED' END,
         CASE ending
           WHEN 'expired' THEN '901'
           WHEN 'cancelled' THEN '902'
           WHEN 'opted_out' THEN '903'
           WHEN 'sender_gone' THEN '904'
         END,
         CASE ending
           WHEN 'expired' THEN 'Expired before it could be submitted'
           WHEN 'cancelled' THEN 'Cancelled before it was submitted'
           WHEN 'opted_out' THEN 'The recipient has opted out'
           WHEN 'sender_gone' THEN 'The sender is no longer registered'
         END,
         CASE WHEN ending IS NOT NULL THEN now() END,
         CASE WHEN ending IS NOT NULL THEN ARRAY[uuidv7()] END
    FROM moved
   WHERE leaves_now
  RETURNING submission_id, n, status, err_code, status_description, moved_by
), batch AS (
  INSERT INTO claim_batch (lane, due_at, messages, submission_ids, froms, uptos)
  SELECT lane, now() + make_interval(secs => $5 + 1),
         sum(fanned_upto - fanned_from), array_agg(id), array_agg(fanned_from), array_agg(fanned_upto)
    FROM moved
   WHERE fanned_upto > fanned_from
   GROUP BY lane
), ended_events AS (
  INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
  SELECT moved_by[cardinality(moved_by)], '', submission_id, n,
         'FAILED', err_code, status_description, now()
    FROM inserted
   WHERE status = 'FAILED'
  RETURNING id, submission_id, (SELECT set_config('synchronous_commit', 'on', true))
), round AS (
  -- ready: a sender filled its quantum and has tokens left, or outdated rows took places of its messages. paced: a
  -- sender filled its quantum, or has no tokens. bool_or is null, so not true, when nothing was picked. `next`: the
  -- last sender of a full round
  SELECT CASE
           WHEN bool_or(messages = quantum AND spent < tokens) OR EXISTS (SELECT FROM picked WHERE NOT is_ready)
           THEN 'ready'
           WHEN bool_or(messages = quantum) OR EXISTS (SELECT FROM share WHERE quantum = 0) THEN 'paced'
           ELSE 'nothing'
         END AS "left",
         (SELECT sender FROM ready_sender WHERE place = $3::integer) AS next,
         (SELECT array_agg(id) FROM ended_events) AS "reportIds"
    FROM used
)
SELECT round.*,
       m.id AS "submissionId", m.account_id AS "accountId", m.sender, m.recipient, m.kind, m.content, m.sealed
  FROM round
  LEFT JOIN moved m ON m.leaves_now AND m.ending IS NULL;

WITH RECURSIVE ready_sender AS (
  (SELECT sender, 1 AS place
     FROM ready_chat
    WHERE lane = $1
      AND sender > $2
    ORDER BY sender
    LIMIT 1)
  UNION ALL
  SELECT next.sender, ready_sender.place + 1
    FROM ready_sender
   CROSS JOIN LATERAL (
     SELECT sender
       FROM ready_chat
      WHERE lane = $1
        AND sender > ready_sender.sender
      ORDER BY sender
      LIMIT 1
   ) AS next
   WHERE ready_sender.place < $3::integer
), locked AS (
  -- `capacity`: the burst, 0.25 s of the rate, but at least 2: a message and a code. `kept`: the tokens left to
  -- codes. `base`: `paced_until`, but no earlier than that of a full bucket
  SELECT cs.msisdn, cs.account_id AS owner, cs.messages_per_second AS rate, reserve.kept,
         GREATEST(cs.paced_until, now() - make_interval(secs => bucket.capacity / cs.messages_per_second)) AS base
    FROM chat_sender cs
   CROSS JOIN LATERAL (SELECT GREATEST(cs.messages_per_second * 0.25, 2) AS capacity) AS bucket
   CROSS JOIN LATERAL (SELECT 0 AS kept) AS reserve
   WHERE cs.msisdn IN (SELECT sender FROM ready_sender)
     AND cs.paced_until <= now() - make_interval(secs => (1.0 + reserve.kept) / cs.messages_per_second)
   ORDER BY cs.msisdn
     FOR NO KEY UPDATE OF cs
), share AS (
  -- accounts have equal parts of the budget, and the senders of an account equal parts of that: each at least one
  -- message, and at most its tokens. Senders that are not locked have no owner and count as one account
  -- (`max(nth_account)` is the number of accounts). They have no tokens, unless the number is nobody's
  SELECT *,
         LEAST(
           tokens,
           GREATEST($4::integer / max(nth_account) OVER () / count(*) OVER (PARTITION BY owner), 1)
         )::integer AS quantum
    FROM (
      SELECT q.sender, locked.owner, locked.base, locked.rate,
             dense_rank() OVER (ORDER BY locked.owner) AS nth_account,
             CASE
               WHEN locked.msisdn IS NOT NULL
               -- times are rounded to microseconds, which must cost no token
               THEN floor(extract(epoch FROM now() - locked.base) * locked.rate - locked.kept + 0.001)
               WHEN EXISTS (SELECT FROM chat_sender cs WHERE cs.msisdn = q.sender) THEN 0
               -- nobody's number: its messages end, which costs no tokens
               ELSE $4::integer
             END AS tokens
        FROM ready_sender q
        -- a left join would do, but the planner expects few rows, and a full join rules out a nested loop
        FULL JOIN locked ON locked.msisdn = q.sender
    ) AS counted
), picked AS (
  SELECT share.base, share.rate, share.tokens, share.quantum, oldest.*
    FROM share
   CROSS JOIN LATERAL (
     SELECT s.id, s.account_id, s.sender, s.recipients[1] AS recipient, s.held_until, q.ctid AS listed_at,
            COALESCE(
              CASE
                WHEN s.cancelled_at IS NOT NULL THEN 'cancelled'
                WHEN s.expires_at <= now() THEN 'expired'
              END,
              CASE WHEN
                (s.lane NOT IN ('OTP', 'CHAT_OTP') AND (
                  SELECT o.sender
                    FROM opt_out o
                   WHERE o.account_id = s.account_id
                     AND o.recipient = s.recipients[1]
                     AND CASE WHEN o.sender IN ('', s.sender) THEN true END
                   ORDER BY o.sender
                   LIMIT 1
                ) IS NOT NULL)
              THEN 'opted_out' END,
              CASE WHEN s.account_id IS DISTINCT FROM share.owner THEN 'sender_gone' END
            ) AS ending,
            s.fanned_out_at IS NULL AND NOT s.waits AS is_ready
       FROM ready_chat q
       JOIN submission s ON s.id = q.id
      WHERE q.lane = $1
        AND q.sender = share.sender
      ORDER BY q.id
      LIMIT share.quantum
        FOR UPDATE OF s SKIP LOCKED
   ) AS oldest
), numbered AS (
  -- `counts_for`: the recipient whose pace it counts for; null for a message that ends, and for one that waited, which
  -- was counted before
  SELECT *,
         row_number() OVER (of_pair ORDER BY id) AS nth_of_pair,
         count(*) OVER of_pair AS in_pair
    FROM (
      SELECT *, CASE WHEN ending IS NULL AND held_until IS NULL THEN recipient END AS counts_for
        FROM picked
       WHERE is_ready
    ) AS judged
  WINDOW of_pair AS (PARTITION BY account_id, sender, counts_for)
), pair AS (
  INSERT INTO chat_pair AS p (account_id, sender, recipient, paced_until)
  SELECT account_id, sender, counts_for, now() + make_interval(secs => in_pair * 6)
    FROM numbered
   WHERE nth_of_pair = 1
     AND counts_for IS NOT NULL
   ORDER BY account_id, sender, counts_for
  ON CONFLICT ON CONSTRAINT chat_pair_pkey DO UPDATE
     -- from where it is, or from now if the pair was idle; EXCLUDED has now() plus the time of these messages
     SET paced_until = GREATEST(p.paced_until, now()) + (EXCLUDED.paced_until - now())
  RETURNING account_id, sender, recipient, paced_until
), planned AS (
  -- `paced_until` counts all `in_pair` messages. After this one, the pair was at a time that is
  -- (in_pair - nth_of_pair) * 6 s earlier, and the message may leave 45 * 6 s before that time. `leaves_at` is
  -- null, and the message leaves now, when it ends or has waited before
  SELECT *, leaves_at IS NULL OR leaves_at <= now() AS leaves_now
    FROM (
      SELECT n.id, n.sender, n.recipient, n.ending, n.base, n.rate, n.tokens, n.quantum,
             pair.paced_until - make_interval(secs => (n.in_pair - n.nth_of_pair + 45) * 6)
               AS leaves_at
        FROM numbered n
        -- full only to rule out a nested loop: each pair is of a message of `numbered`
        FULL JOIN pair
          ON pair.account_id = n.account_id AND pair.sender = n.sender AND pair.recipient = n.counts_for
    ) AS timed
), used AS (
  -- a message that waits costs a token when it leaves. The columns of `share` are carried along, to avoid a join
  SELECT sender, base, rate, tokens, quantum,
         count(*) AS messages, count(*) FILTER (WHERE leaves_now AND ending IS NULL) AS spent
    FROM planned
   GROUP BY sender, base, rate, tokens, quantum
), charged AS (
  UPDATE chat_sender cs
     SET paced_until = used.base + make_interval(secs => used.spent / used.rate::float8)
    FROM used
   WHERE cs.msisdn = used.sender
     AND used.spent > 0
), unmarked AS (
  UPDATE submission s
     SET listed = false
    FROM picked p
   WHERE s.id = p.id
     AND NOT p.is_ready
     AND s.waits
     AND s.listed
), removed AS (
  -- no row of `picked` stays listed: its message leaves or waits, or the row was outdated
  DELETE FROM ready_chat
   WHERE ctid = ANY(ARRAY(SELECT listed_at FROM picked))
), moved AS (
  UPDATE submission s
     SET fanned_upto = CASE WHEN p.leaves_now THEN 1 ELSE 0 END,
         fanned_out_at = CASE WHEN p.leaves_now THEN now() END,
         waits = NOT p.leaves_now,
         -- false while it waits. A worker of the previous version may end the wait without adding a row to the list:
         -- `makeDueReady` then adds it, because the submission neither waits nor is listed
         listed = p.leaves_now,
         held_until = CASE WHEN NOT p.leaves_now THEN p.leaves_at END,
         -- a code that is not sent is not kept
         sealed = CASE WHEN p.ending IS NULL THEN s.sealed END,
         due_at = CASE WHEN p.leaves_now THEN s.due_at ELSE LEAST(p.leaves_at, s.expires_at) END
    FROM planned p
   WHERE s.id = p.id
  -- `fanned_from` is always 0 here
  RETURNING s.id, s.account_id, s.lane, s.sender, p.recipient, s.kind, s.content, s.sealed, s.credits,
            s.fanned_from, s.fanned_upto, p.ending, p.leaves_now
), inserted AS (
  INSERT INTO message (submission_id, n, account_id, lane, recipient, credits, claimed_until, due_at,
                       status, err_code, status_description, failed_at, moved_by)
  SELECT id, 1, account_id, lane, recipient, credits, now() + make_interval(secs => $5),
         NULL, -- not the default, which is for the previous version
         CASE WHEN ending IS NULL THEN 'PENDING' ELSE 'FAILED' END,
         CASE ending
           WHEN 'expired' THEN '901'
           WHEN 'cancelled' THEN '902'
           WHEN 'opted_out' THEN '903'
           WHEN 'sender_gone' THEN '904'
         END,
         CASE ending
           WHEN 'expired' THEN 'Expired before it could be submitted'
           WHEN 'cancelled' THEN 'Cancelled before it was submitted'
           WHEN 'opted_out' THEN 'The recipient has opted out'
           WHEN 'sender_gone' THEN 'The sender is no longer registered'
         END,
         CASE WHEN ending IS NOT NULL THEN now() END,
         CASE WHEN ending IS NOT NULL THEN ARRAY[uuidv7()] END
    FROM moved
   WHERE leaves_now
  RETURNING submission_id, n, status, err_code, status_description, moved_by
), batch AS (
  INSERT INTO claim_batch (lane, due_at, messages, submission_ids, froms, uptos)
  SELECT lane, now() + make_interval(secs => $5 + 1),
         sum(fanned_upto - fanned_from), array_agg(id), array_agg(fanned_from), array_agg(fanned_upto)
    FROM moved
   WHERE fanned_upto > fanned_from
   GROUP BY lane
), ended_events AS (
  INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
  SELECT moved_by[cardinality(moved_by)], '', submission_id, n,
         'FAILED', err_code, status_description, now()
    FROM inserted
   WHERE status = 'FAILED'
  RETURNING id, submission_id, (SELECT set_config('synchronous_commit', 'on', true))
), round AS (
  -- ready: a sender filled its quantum and has tokens left, or outdated rows took places of its messages. paced: a
  -- sender filled its quantum, or has no tokens. bool_or is null, so not true, when nothing was picked. `next`: the
  -- last sender of a full round
  SELECT CASE
           WHEN bool_or(messages = quantum AND spent < tokens) OR EXISTS (SELECT FROM picked WHERE NOT is_ready)
           THEN 'ready'
           WHEN bool_or(messages = quantum) OR EXISTS (SELECT FROM share WHERE quantum = 0) THEN 'paced'
           ELSE 'nothing'
         END AS "left",
         (SELECT sender FROM ready_sender WHERE place = $3::integer) AS next,
         (SELECT array_agg(id) FROM ended_events) AS "reportIds"
    FROM used
)
SELECT round.*,
       m.id AS "submissionId", m.account_id AS "accountId", m.sender, m.recipient, m.kind, m.content, m.sealed
  FROM round
  LEFT JOIN moved m ON m.leaves_now AND m.ending IS NULL;
