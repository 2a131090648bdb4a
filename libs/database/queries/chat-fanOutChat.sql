WITH RECURSIVE scan AS (
  (SELECT sender, 1 AS place
     FROM ready_chat
    WHERE lane = $1
      AND sender > $2
    ORDER BY sender
    LIMIT 1)
  UNION ALL
  SELECT next.sender, scan.place + 1
    FROM scan
   CROSS JOIN LATERAL (
     SELECT sender
       FROM ready_chat
      WHERE lane = $1
        AND sender > scan.sender
      ORDER BY sender
      LIMIT 1
   ) AS next
   WHERE scan.place < $3::integer
), locked AS MATERIALIZED (
  -- locks the senders that have a token, beyond those this lane leaves untouched
  SELECT cs.msisdn, cs.account_id, cs.messages_per_second AS rate, cs.paced_until
    FROM chat_sender cs
   WHERE cs.msisdn IN (SELECT sender FROM scan)
     AND cs.paced_until <= now()
         - make_interval(secs => (
             (1 + GREATEST(GREATEST(cs.messages_per_second * 0.25, 2) * 0.2, 1)) / cs.messages_per_second::numeric
           )::float8)
   ORDER BY cs.msisdn
     FOR NO KEY UPDATE SKIP LOCKED
), paced AS MATERIALIZED (
  -- `base` is `paced_until`, but never longer ago than it takes to save up all tokens
  SELECT msisdn, account_id, rate,
         GREATEST(paced_until, now() - make_interval(secs => (GREATEST(rate * 0.25, 2) / rate)::float8)) AS base
    FROM locked
), part AS MATERIALIZED (
  -- equal parts of the budget for each account, and of that for each of its senders, but not more than a sender
  -- has tokens for. senders without an owner or without a token count as one account.
  -- a sender that is nobody's needs no tokens: its messages end
  SELECT *,
         LEAST(
           tokens,
           GREATEST($4::integer / max(account) OVER () / count(*) OVER (PARTITION BY account), 1)
         )::integer AS quantum
    FROM (
      SELECT scan.sender, p.account_id AS owner, p.base, p.rate,
             dense_rank() OVER (ORDER BY p.account_id) AS account,
             CASE
               WHEN p.msisdn IS NOT NULL
               THEN floor(
                 extract(epoch FROM now() - p.base) * p.rate - GREATEST(GREATEST(p.rate * 0.25, 2) * 0.2, 1) + 0.001
               )
               WHEN EXISTS (SELECT FROM chat_sender cs WHERE cs.msisdn = scan.sender) THEN 0
               ELSE $4::integer
             END AS tokens
        FROM scan
        FULL JOIN paced p ON p.msisdn = scan.sender
    ) AS counted
), picked AS MATERIALIZED (
  SELECT part.base, part.rate, part.tokens, part.quantum, oldest.*
    FROM part
   CROSS JOIN LATERAL (
     SELECT s.id, s.account_id, s.sender, s.recipients[1] AS recipient, s.held_until,
            COALESCE(
              COALESCE(
                CASE
                  WHEN s.cancelled_at IS NOT NULL THEN 'cancelled'
                  WHEN s.expires_at <= now() THEN 'expired'
                END,
                CASE WHEN (s.lane NOT IN ('OTP', 'CHAT_OTP') AND (
                            SELECT o.sender
                              FROM opt_out o
                             WHERE o.account_id = s.account_id
                               AND o.recipient = s.recipients[1]
                               AND CASE WHEN o.sender IN ('', s.sender) THEN true END
                             ORDER BY o.sender
                             LIMIT 1
                          ) IS NOT NULL) THEN 'opted_out' END
              ),
              CASE WHEN s.account_id IS DISTINCT FROM part.owner THEN 'sender_gone' END
            ) AS ending,
            s.fanned_out_at IS NULL AND NOT s.waits AS is_ready
       FROM ready_chat q
       JOIN submission s ON s.id = q.id
      WHERE q.lane = $1
        AND q.sender = part.sender
      ORDER BY q.id
      LIMIT part.quantum
        FOR UPDATE OF s SKIP LOCKED
   ) AS oldest
), unlisted AS (
  UPDATE submission s
     SET listed = false
    FROM picked p
   WHERE s.id = p.id
     AND NOT p.is_ready
     AND s.waits
     AND s.listed
), done AS (
  -- each of them leaves or waits now, or did before
  DELETE FROM ready_chat
   WHERE ctid = ANY(ARRAY(
     SELECT found.ctid
       FROM (SELECT $1::text AS lane, sender, id FROM picked) AS gone
      CROSS JOIN LATERAL (
        SELECT q.ctid
          FROM ready_chat q
         WHERE q.lane = gone.lane
           AND q.sender = gone.sender
           AND q.id = gone.id
        OFFSET 0
      ) AS found
   ))
), counted AS MATERIALIZED (
  -- numbers the messages of each pair. `counts_for` is null for a message that ends, which costs its pair nothing,
  -- and for one that was held, which was counted before
  SELECT *,
         row_number() OVER pair AS place,
         count(*) OVER (PARTITION BY account_id, sender, counts_for) AS count
    FROM (
      SELECT *, CASE WHEN ending IS NULL AND held_until IS NULL THEN recipient END AS counts_for
        FROM picked
       WHERE is_ready
    ) AS judged
  WINDOW pair AS (PARTITION BY account_id, sender, counts_for ORDER BY id)
), pair AS (
  -- moves each pair on by all its messages at once, in the order of the key
  INSERT INTO chat_pair AS p (account_id, sender, recipient, paced_until)
  SELECT account_id, sender, counts_for, now() + make_interval(secs => (count * 6)::float8)
    FROM counted
   WHERE place = 1
     AND counts_for IS NOT NULL
   ORDER BY account_id, sender, counts_for
  ON CONFLICT ON CONSTRAINT chat_pair_pkey DO UPDATE
     SET paced_until = GREATEST(p.paced_until, now()) + (EXCLUDED.paced_until - now())
  RETURNING account_id, sender, recipient, paced_until
), planned AS MATERIALIZED (
  -- `slot` is when a message may be sent: the last of its pair a burst before `paced_until`,
  -- each message before it one step earlier
  SELECT *, slot IS NULL OR slot <= now() AS leaves
    FROM (
      SELECT c.id, c.sender, c.recipient, c.ending, c.base, c.rate, c.tokens, c.quantum,
             pair.paced_until - make_interval(secs => ((c.count - c.place + 45) * 6)::float8) AS slot
        FROM counted c
        FULL JOIN pair
          ON pair.account_id = c.account_id AND pair.sender = c.sender AND pair.recipient = c.counts_for
    ) AS slotted
), gone AS MATERIALIZED (
  -- the columns of each sender come along, so that nothing has to be joined with `part` again
  SELECT sender, base, rate, tokens, quantum,
         count(*) AS taken, count(*) FILTER (WHERE leaves AND ending IS NULL) AS going
    FROM planned
   GROUP BY sender, base, rate, tokens, quantum
), charged AS (
  -- a sender pays for the messages that leave; those that wait for their pair pay when they do
  UPDATE chat_sender cs
     SET paced_until = g.base + make_interval(secs => (g.going / g.rate::float8)::float8)
    FROM gone g
   WHERE cs.msisdn = g.sender
     AND g.going > 0
), taken AS (
  UPDATE submission s
     SET fanned_upto = CASE WHEN p.leaves THEN 1 ELSE 0 END,
         fanned_out_at = CASE WHEN p.leaves THEN now() END,
         waits = NOT p.leaves,
         listed = p.leaves,
         held_until = CASE WHEN NOT p.leaves THEN p.slot END,
         sealed = CASE WHEN p.ending IS NULL THEN s.sealed END,
         due_at = CASE WHEN p.leaves THEN s.due_at ELSE LEAST(p.slot, s.expires_at) END
    FROM planned p
   WHERE s.id = p.id
  RETURNING s.id, s.account_id, s.lane, s.sender, p.recipient, s.kind, s.content, s.sealed, s.credits,
            s.fanned_from, s.fanned_upto, p.ending, p.leaves
), inserted AS (
  INSERT INTO message (submission_id, n, account_id, lane, recipient, credits, claimed_until, due_at,
                       status, err_code, status_description, failed_at, moved_by)
  SELECT id, 1, account_id, $1, recipient, credits, now() + make_interval(secs => $5), NULL,
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
    FROM taken
   WHERE leaves
  RETURNING submission_id, n, status, err_code, status_description, moved_by
), batch AS (
  INSERT INTO claim_batch (lane, due_at, messages, submission_ids, froms, uptos)
  SELECT lane, now() + make_interval(secs => $5 + 1),
         sum(fanned_upto - fanned_from), array_agg(id), array_agg(fanned_from), array_agg(fanned_upto)
    FROM taken
   WHERE fanned_upto > fanned_from
   GROUP BY lane
), reported AS (
  INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
  SELECT moved_by[cardinality(moved_by)], '', submission_id, n,
         'FAILED', err_code, status_description, now()
    FROM inserted
   WHERE status = 'FAILED'
  RETURNING id, submission_id, set_config('synchronous_commit', 'on', true)
), round AS (
  -- a sender that filled its part may have more: ready as long as it has tokens left, else paced
  SELECT CASE
           WHEN bool_or(taken = quantum AND going < tokens) THEN 'ready'
           WHEN bool_or(taken = quantum) OR EXISTS (SELECT FROM part WHERE quantum = 0) THEN 'paced'
           ELSE 'nothing'
         END AS "left",
         (SELECT CASE WHEN count(*) >= $3::integer THEN max(sender) END FROM part) AS next
    FROM gone
)
SELECT round.*, r.ids AS "reportIds",
       t.id AS "submissionId", t.account_id AS "accountId", t.sender, t.recipient, t.kind, t.content, t.sealed
  FROM round
 CROSS JOIN (SELECT array_agg(id) AS ids FROM reported) AS r
  LEFT JOIN taken t ON t.leaves AND t.ending IS NULL;

WITH RECURSIVE scan AS (
  (SELECT sender, 1 AS place
     FROM ready_chat
    WHERE lane = $1
      AND sender > $2
    ORDER BY sender
    LIMIT 1)
  UNION ALL
  SELECT next.sender, scan.place + 1
    FROM scan
   CROSS JOIN LATERAL (
     SELECT sender
       FROM ready_chat
      WHERE lane = $1
        AND sender > scan.sender
      ORDER BY sender
      LIMIT 1
   ) AS next
   WHERE scan.place < $3::integer
), locked AS MATERIALIZED (
  -- locks the senders that have a token, beyond those this lane leaves untouched
  SELECT cs.msisdn, cs.account_id, cs.messages_per_second AS rate, cs.paced_until
    FROM chat_sender cs
   WHERE cs.msisdn IN (SELECT sender FROM scan)
     AND cs.paced_until <= now()
         - make_interval(secs => (
             (1 + 0) / cs.messages_per_second::numeric
           )::float8)
   ORDER BY cs.msisdn
     FOR NO KEY UPDATE 
), paced AS MATERIALIZED (
  -- `base` is `paced_until`, but never longer ago than it takes to save up all tokens
  SELECT msisdn, account_id, rate,
         GREATEST(paced_until, now() - make_interval(secs => (GREATEST(rate * 0.25, 2) / rate)::float8)) AS base
    FROM locked
), part AS MATERIALIZED (
  -- equal parts of the budget for each account, and of that for each of its senders, but not more than a sender
  -- has tokens for. senders without an owner or without a token count as one account.
  -- a sender that is nobody's needs no tokens: its messages end
  SELECT *,
         LEAST(
           tokens,
           GREATEST($4::integer / max(account) OVER () / count(*) OVER (PARTITION BY account), 1)
         )::integer AS quantum
    FROM (
      SELECT scan.sender, p.account_id AS owner, p.base, p.rate,
             dense_rank() OVER (ORDER BY p.account_id) AS account,
             CASE
               WHEN p.msisdn IS NOT NULL
               THEN floor(
                 extract(epoch FROM now() - p.base) * p.rate - 0 + 0.001
               )
               WHEN EXISTS (SELECT FROM chat_sender cs WHERE cs.msisdn = scan.sender) THEN 0
               ELSE $4::integer
             END AS tokens
        FROM scan
        FULL JOIN paced p ON p.msisdn = scan.sender
    ) AS counted
), picked AS MATERIALIZED (
  SELECT part.base, part.rate, part.tokens, part.quantum, oldest.*
    FROM part
   CROSS JOIN LATERAL (
     SELECT s.id, s.account_id, s.sender, s.recipients[1] AS recipient, s.held_until,
            COALESCE(
              COALESCE(
                CASE
                  WHEN s.cancelled_at IS NOT NULL THEN 'cancelled'
                  WHEN s.expires_at <= now() THEN 'expired'
                END,
                CASE WHEN (s.lane NOT IN ('OTP', 'CHAT_OTP') AND (
                            SELECT o.sender
                              FROM opt_out o
                             WHERE o.account_id = s.account_id
                               AND o.recipient = s.recipients[1]
                               AND CASE WHEN o.sender IN ('', s.sender) THEN true END
                             ORDER BY o.sender
                             LIMIT 1
                          ) IS NOT NULL) THEN 'opted_out' END
              ),
              CASE WHEN s.account_id IS DISTINCT FROM part.owner THEN 'sender_gone' END
            ) AS ending,
            s.fanned_out_at IS NULL AND NOT s.waits AS is_ready
       FROM ready_chat q
       JOIN submission s ON s.id = q.id
      WHERE q.lane = $1
        AND q.sender = part.sender
      ORDER BY q.id
      LIMIT part.quantum
        FOR UPDATE OF s SKIP LOCKED
   ) AS oldest
), unlisted AS (
  UPDATE submission s
     SET listed = false
    FROM picked p
   WHERE s.id = p.id
     AND NOT p.is_ready
     AND s.waits
     AND s.listed
), done AS (
  -- each of them leaves or waits now, or did before
  DELETE FROM ready_chat
   WHERE ctid = ANY(ARRAY(
     SELECT found.ctid
       FROM (SELECT $1::text AS lane, sender, id FROM picked) AS gone
      CROSS JOIN LATERAL (
        SELECT q.ctid
          FROM ready_chat q
         WHERE q.lane = gone.lane
           AND q.sender = gone.sender
           AND q.id = gone.id
        OFFSET 0
      ) AS found
   ))
), counted AS MATERIALIZED (
  -- numbers the messages of each pair. `counts_for` is null for a message that ends, which costs its pair nothing,
  -- and for one that was held, which was counted before
  SELECT *,
         row_number() OVER pair AS place,
         count(*) OVER (PARTITION BY account_id, sender, counts_for) AS count
    FROM (
      SELECT *, CASE WHEN ending IS NULL AND held_until IS NULL THEN recipient END AS counts_for
        FROM picked
       WHERE is_ready
    ) AS judged
  WINDOW pair AS (PARTITION BY account_id, sender, counts_for ORDER BY id)
), pair AS (
  -- moves each pair on by all its messages at once, in the order of the key
  INSERT INTO chat_pair AS p (account_id, sender, recipient, paced_until)
  SELECT account_id, sender, counts_for, now() + make_interval(secs => (count * 6)::float8)
    FROM counted
   WHERE place = 1
     AND counts_for IS NOT NULL
   ORDER BY account_id, sender, counts_for
  ON CONFLICT ON CONSTRAINT chat_pair_pkey DO UPDATE
     SET paced_until = GREATEST(p.paced_until, now()) + (EXCLUDED.paced_until - now())
  RETURNING account_id, sender, recipient, paced_until
), planned AS MATERIALIZED (
  -- `slot` is when a message may be sent: the last of its pair a burst before `paced_until`,
  -- each message before it one step earlier
  SELECT *, slot IS NULL OR slot <= now() AS leaves
    FROM (
      SELECT c.id, c.sender, c.recipient, c.ending, c.base, c.rate, c.tokens, c.quantum,
             pair.paced_until - make_interval(secs => ((c.count - c.place + 45) * 6)::float8) AS slot
        FROM counted c
        FULL JOIN pair
          ON pair.account_id = c.account_id AND pair.sender = c.sender AND pair.recipient = c.counts_for
    ) AS slotted
), gone AS MATERIALIZED (
  -- the columns of each sender come along, so that nothing has to be joined with `part` again
  SELECT sender, base, rate, tokens, quantum,
         count(*) AS taken, count(*) FILTER (WHERE leaves AND ending IS NULL) AS going
    FROM planned
   GROUP BY sender, base, rate, tokens, quantum
), charged AS (
  -- a sender pays for the messages that leave; those that wait for their pair pay when they do
  UPDATE chat_sender cs
     SET paced_until = g.base + make_interval(secs => (g.going / g.rate::float8)::float8)
    FROM gone g
   WHERE cs.msisdn = g.sender
     AND g.going > 0
), taken AS (
  UPDATE submission s
     SET fanned_upto = CASE WHEN p.leaves THEN 1 ELSE 0 END,
         fanned_out_at = CASE WHEN p.leaves THEN now() END,
         waits = NOT p.leaves,
         listed = p.leaves,
         held_until = CASE WHEN NOT p.leaves THEN p.slot END,
         sealed = CASE WHEN p.ending IS NULL THEN s.sealed END,
         due_at = CASE WHEN p.leaves THEN s.due_at ELSE LEAST(p.slot, s.expires_at) END
    FROM planned p
   WHERE s.id = p.id
  RETURNING s.id, s.account_id, s.lane, s.sender, p.recipient, s.kind, s.content, s.sealed, s.credits,
            s.fanned_from, s.fanned_upto, p.ending, p.leaves
), inserted AS (
  INSERT INTO message (submission_id, n, account_id, lane, recipient, credits, claimed_until, due_at,
                       status, err_code, status_description, failed_at, moved_by)
  SELECT id, 1, account_id, $1, recipient, credits, now() + make_interval(secs => $5), NULL,
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
    FROM taken
   WHERE leaves
  RETURNING submission_id, n, status, err_code, status_description, moved_by
), batch AS (
  INSERT INTO claim_batch (lane, due_at, messages, submission_ids, froms, uptos)
  SELECT lane, now() + make_interval(secs => $5 + 1),
         sum(fanned_upto - fanned_from), array_agg(id), array_agg(fanned_from), array_agg(fanned_upto)
    FROM taken
   WHERE fanned_upto > fanned_from
   GROUP BY lane
), reported AS (
  INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
  SELECT moved_by[cardinality(moved_by)], '', submission_id, n,
         'FAILED', err_code, status_description, now()
    FROM inserted
   WHERE status = 'FAILED'
  RETURNING id, submission_id, set_config('synchronous_commit', 'on', true)
), round AS (
  -- a sender that filled its part may have more: ready as long as it has tokens left, else paced
  SELECT CASE
           WHEN bool_or(taken = quantum AND going < tokens) THEN 'ready'
           WHEN bool_or(taken = quantum) OR EXISTS (SELECT FROM part WHERE quantum = 0) THEN 'paced'
           ELSE 'nothing'
         END AS "left",
         (SELECT CASE WHEN count(*) >= $3::integer THEN max(sender) END FROM part) AS next
    FROM gone
)
SELECT round.*, r.ids AS "reportIds",
       t.id AS "submissionId", t.account_id AS "accountId", t.sender, t.recipient, t.kind, t.content, t.sealed
  FROM round
 CROSS JOIN (SELECT array_agg(id) AS ids FROM reported) AS r
  LEFT JOIN taken t ON t.leaves AND t.ending IS NULL;
