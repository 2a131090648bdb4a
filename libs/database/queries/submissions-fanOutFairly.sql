WITH RECURSIVE quiet AS MATERIALIZED (
  -- it ends tomorrow when today's end is past, on the clock of its zone
  SELECT r.prefix,
         (l.now::date + r.quiet_until
           + CASE WHEN l.now::time >= r.quiet_until THEN interval '1 day' ELSE interval '0' END
         ) AT TIME ZONE r.zone AS ends_at
    FROM unnest($8::text[], $9::time[], $10::time[], $11::text[])
           AS r(prefix, quiet_from, quiet_until, zone)
   CROSS JOIN LATERAL (SELECT now() AT TIME ZONE r.zone AS now) AS l
   WHERE CASE
           WHEN r.quiet_from < r.quiet_until
           THEN l.now::time >= r.quiet_from AND l.now::time < r.quiet_until
           ELSE l.now::time >= r.quiet_from OR l.now::time < r.quiet_until
         END
), ready_account AS (
  (SELECT account_id, 1 AS place
     FROM ready_sms
    WHERE lane = $1
      AND account_id > $2::uuid
    ORDER BY account_id
    LIMIT 1)
  UNION ALL
  SELECT next.account_id, ready_account.place + 1
    FROM ready_account
   CROSS JOIN LATERAL (
     SELECT account_id
       FROM ready_sms
      WHERE lane = $1
        AND account_id > ready_account.account_id
      ORDER BY account_id
      LIMIT 1
   ) AS next
   WHERE ready_account.place < $3::integer
), share AS (
  -- an equal part of the budget, or the allowance where that is less; accounts that may send nothing have no share.
  -- LEAST skips a null
  SELECT a.account_id,
         LEAST($4::integer / count(*) OVER (), u.allowance)::integer AS quantum
    FROM ready_account a
    LEFT JOIN unnest($5::uuid[], $6::integer[]) AS u(account_id, allowance) ON u.account_id = a.account_id
   WHERE COALESCE(u.allowance, 1) > 0
), needed AS (
  -- `submissions`: how many of the oldest rows of the list add up to the quantum. `fills`: whether they reach it. A
  -- CTE of its own, because FOR UPDATE is not allowed with window functions
  SELECT share.*, counted.submissions, counted.fills
    FROM share
   CROSS JOIN LATERAL (
     SELECT count(*) AS submissions, sum(messages) >= share.quantum AS fills
       FROM (
         SELECT messages, sum(messages) OVER (ORDER BY id) - messages AS listed_before
           FROM (
             SELECT id, COALESCE(messages, 1) AS messages -- null in rows of the previous version
               FROM ready_sms
              WHERE lane = $1
                AND account_id = share.account_id
              ORDER BY id
              LIMIT share.quantum -- a row counts for at least one message
           ) AS listed
       ) AS summed
      WHERE listed_before < share.quantum
   ) AS counted
), picked AS (
  SELECT oldest.*, needed.quantum, needed.fills
    FROM needed
   CROSS JOIN LATERAL (
     SELECT s.id, s.lane, s.account_id, s.recipients, cardinality(s.recipients) AS total, s.fanned_upto, s.held_until,
            s.rate_per_second AS rate,
            CASE
              WHEN s.cancelled_at IS NOT NULL THEN 'cancelled'
              WHEN s.expires_at <= now() THEN 'expired'
            END AS ending,
            s.fanned_out_at IS NULL AND NOT s.waits AS is_ready
       FROM ready_sms q
       JOIN submission s ON s.id = q.id
      WHERE q.lane = $1
        AND q.account_id = needed.account_id
      ORDER BY q.id
      LIMIT needed.submissions
        FOR UPDATE OF s SKIP LOCKED
   ) AS oldest
), offered AS (
  -- all messages that are left, or a chunk of the held ones when only held ones are left; at a rate, at most those of
  -- half a second, but at least one. The rate does not matter for a submission that ends
  SELECT *,
         LEAST(
           CASE WHEN fanned_upto < total THEN total - fanned_upto ELSE 500 END,
           CASE WHEN ending IS NULL AND rate IS NOT NULL THEN GREATEST(rate / 2, 1) END
         ) AS size
    FROM picked
   WHERE is_ready
), granted AS (
  -- `offered_before`: the messages that older submissions of the account offer. `take`: the part of `size` that still
  -- fits into the quantum
  SELECT *, LEAST(size, quantum - offered_before)::integer AS take
    FROM (
      SELECT *, sum(size) OVER (PARTITION BY account_id ORDER BY id) - size AS offered_before
        FROM offered
    ) AS summed
   WHERE offered_before < quantum
), reached AS MATERIALIZED (
  -- `upto`: the new position. `held`: the earliest time at which a held message may be sent; perhaps too early, as
  -- opt-outs are not looked up here. Materialized, or `planned` would compute it for each of its uses
  SELECT *,
         LEAST(fanned_upto + take, total) AS upto,
         CASE
           -- only held messages are left, perhaps fewer than when `held_until` was set
           WHEN fanned_upto >= total
           THEN (SELECT min(m.held_until)
                   FROM message m
                  WHERE m.submission_id = granted.id
                    AND m.held_until IS NOT NULL
                    AND CASE WHEN
                          m.status = 'PENDING'
                        THEN true END)
           WHEN ending IS NULL AND EXISTS (SELECT FROM quiet)
           THEN LEAST(held_until, (
                  SELECT min((
                           SELECT max(ends_at)
                             FROM quiet
                            WHERE starts_with(u.recipient, prefix)
                         ))
                    FROM unnest(recipients[fanned_upto + 1 : fanned_upto + take]) AS u(recipient)
                ))
           ELSE held_until
         END AS held
    FROM granted
), planned AS (
  -- `waits`: for its rate, or for the end of quiet hours. What ends needs neither. With held messages that may be sent
  -- now, and no rate, it stays ready until they are claimed
  SELECT *,
         CASE
           WHEN ending IS NOT NULL THEN false
           WHEN upto < total THEN rate IS NOT NULL
           ELSE held IS NOT NULL AND (held > now() OR rate IS NOT NULL)
         END AS waits
    FROM reached
), chunk AS (
  UPDATE submission s
     SET fanned_from = s.fanned_upto, -- the old position, which RETURNING needs
         fanned_upto = p.upto,
         held_until = p.held,
         fanned_out_at = CASE WHEN p.upto = p.total AND p.held IS NULL THEN now() END,
         waits = p.waits,
         -- false while it waits. A worker of the previous version may end the wait without adding a row to the list:
         -- `makeDueReady` then adds it, because the submission neither waits nor is listed
         listed = NOT p.waits,
         due_at = CASE
                    -- what is left of it ends in the next round
                    WHEN p.ending IS NOT NULL THEN s.due_at
                    -- only held messages are left: when the first may be sent, or when they expire
                    WHEN p.upto = p.total AND p.held > now() THEN LEAST(p.held, s.expires_at)
                    -- after the time that these messages take at the rate. Half a second of lateness is made up
                    WHEN p.rate IS NOT NULL
                    THEN GREATEST(s.due_at, now() - interval '500 milliseconds')
                         + make_interval(secs => p.take::float / p.rate)
                    ELSE s.due_at
                  END
    FROM planned p
   WHERE s.id = p.id
  RETURNING s.id, s.account_id, s.lane, s.sender, s.content, s.sealed, s.credits, s.custom, s.expires_at,
            s.fanned_from, s.fanned_upto, s.fanned_out_at,
            s.recipients[s.fanned_from + 1 : s.fanned_upto] AS recipients,
            s.credits_each[s.fanned_from + 1 : s.fanned_upto] AS credits_each,
            CASE
              WHEN s.cancelled_at IS NOT NULL THEN 'cancelled'
              WHEN s.expires_at <= now() THEN 'expired'
            END AS ending,
            (s.cancelled_at IS NOT NULL
             OR s.expires_at <= now()
             OR EXISTS (SELECT FROM quiet)
             OR s.lane <> 'OTP'
                AND EXISTS (SELECT FROM opt_out o WHERE o.account_id = s.account_id)) AS needs_checks,
            s.waits,
            -- held messages that may be sent, or end, now: claimed by another statement. p.fanned_upto is the old
            -- position
            CASE
              WHEN p.fanned_upto >= p.total AND (p.held <= now() OR p.held IS NOT NULL AND p.ending IS NOT NULL)
              THEN p.take
            END AS take_held
), unmarked AS (
  -- only submissions that are not ready: `chunk` updates only ready ones, so no row is updated twice
  UPDATE submission s
     SET listed = false
    FROM picked p
   WHERE s.id = p.id
     AND NOT p.is_ready
     AND s.waits
     AND s.listed
), unready AS (
  -- fanned out or waiting, by this round or before it
  SELECT lane, account_id, id FROM picked WHERE NOT is_ready
   UNION ALL
  SELECT lane, account_id, id FROM chunk WHERE fanned_out_at IS NOT NULL OR waits
), removed AS (
  DELETE FROM ready_sms
   WHERE ctid = ANY(ARRAY(
     SELECT found.ctid
       FROM unready AS gone
      CROSS JOIN LATERAL (
        SELECT q.ctid
          FROM ready_sms q
         WHERE q.lane = gone.lane
           AND q.account_id = gone.account_id
           AND q.id = gone.id
        OFFSET 0
      ) AS found
   ))
), plain AS (
  -- chunks of which no message can end or be held: nearly all. Most have one recipient, which needs no unnest
  INSERT INTO message (submission_id, n, account_id, lane, recipient, status, credits, claimed_until, due_at)
  SELECT chunk.id, chunk.fanned_from + u.n, chunk.account_id, chunk.lane, u.recipient, 'PENDING',
         COALESCE(u.credits, chunk.credits), now() + make_interval(secs => $7),
         NULL::timestamptz -- not the default, which is for the previous version
    FROM chunk, unnest(chunk.recipients, chunk.credits_each) WITH ORDINALITY AS u(recipient, credits, n)
   WHERE NOT chunk.needs_checks
     AND cardinality(chunk.recipients) > 1
   UNION ALL
  SELECT chunk.id, chunk.fanned_upto, chunk.account_id, chunk.lane, chunk.recipients[1], 'PENDING',
         COALESCE(chunk.credits_each[1], chunk.credits), now() + make_interval(secs => $7),
         NULL::timestamptz
    FROM chunk
   WHERE NOT chunk.needs_checks
     AND cardinality(chunk.recipients) = 1
), checked AS (
  -- the other chunks: each recipient is checked for an ending first, then for quiet hours
  INSERT INTO message (submission_id, n, account_id, lane, recipient, credits, starts, claimed_until, held_until,
                       due_at, status, err_code, status_description, failed_at, moved_by)
  SELECT id, n, account_id, lane, recipient, credits,
         CASE WHEN quiet_until IS NULL THEN 1 ELSE 0 END,
         COALESCE(quiet_until, now() + make_interval(secs => $7)), quiet_until,
         NULL,
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
    FROM (
      SELECT chunk.id, chunk.fanned_from + u.n AS n, chunk.account_id, chunk.lane, u.recipient,
             COALESCE(u.credits, chunk.credits) AS credits, judged.ending,
             CASE WHEN judged.ending IS NULL THEN
               CASE WHEN EXISTS (SELECT FROM quiet) THEN (
                 SELECT max(ends_at)
                   FROM quiet
                  WHERE starts_with(u.recipient, prefix)
               ) END
             END AS quiet_until
        FROM chunk, unnest(chunk.recipients, chunk.credits_each) WITH ORDINALITY AS u(recipient, credits, n)
       CROSS JOIN LATERAL (
         SELECT COALESCE(
                  chunk.ending,
                  CASE WHEN
                    (chunk.lane NOT IN ('OTP', 'CHAT_OTP') AND (
                      SELECT o.sender
                        FROM opt_out o
                       WHERE o.account_id = chunk.account_id
                         AND o.recipient = u.recipient
                         AND CASE WHEN o.sender IN ('', chunk.sender) THEN true END
                       ORDER BY o.sender
                       LIMIT 1
                    ) IS NOT NULL)
                  THEN 'opted_out' END
                ) AS ending
         OFFSET 0 -- looked up once, and not again for each column that shows it
       ) AS judged
       WHERE chunk.needs_checks
    ) AS judged_message
  RETURNING submission_id, n, status, err_code, status_description, moved_by, held_until
), batch AS (
  INSERT INTO claim_batch (lane, due_at, messages, submission_ids, froms, uptos)
  SELECT lane, now() + make_interval(secs => $7 + 1),
         sum(fanned_upto - fanned_from), array_agg(id), array_agg(fanned_from), array_agg(fanned_upto)
    FROM chunk
   WHERE fanned_upto > fanned_from
   GROUP BY lane
), ended_events AS (
  INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
  SELECT moved_by[cardinality(moved_by)], '', submission_id, n,
         'FAILED', err_code, status_description, now()
    FROM checked
   WHERE status = 'FAILED'
  RETURNING id, submission_id, (SELECT set_config('synchronous_commit', 'on', true))
), round AS (
  -- `more`: an account filled its quantum, by the list, which may be outdated, or by what its submissions offered (a
  -- paced submission counts as one message in the list); or a submission is still ready, such as one that ends and has
  -- held messages left. `next`: the last account of a full round
  SELECT EXISTS (SELECT FROM picked WHERE fills)
           OR EXISTS (SELECT FROM granted WHERE offered_before + size >= quantum)
           OR EXISTS (SELECT FROM chunk WHERE fanned_out_at IS NULL AND NOT waits) AS more,
         (SELECT account_id FROM ready_account WHERE place = $3::integer) AS next
)
SELECT id, account_id AS "accountId", sender, lane, content, sealed, expires_at AS "expiresAt",
       fanned_from AS "from", recipients, credits, credits_each AS "creditsEach",
       fanned_out_at IS NOT NULL AS complete,
       CASE WHEN custom IS NOT NULL THEN jsonb_path_query_array(
         custom, '$[$from to $upto]', jsonb_build_object('from', fanned_from, 'upto', fanned_upto - 1)
       ) END AS custom,
       CASE WHEN EXISTS (SELECT FROM checked WHERE status = 'FAILED' OR held_until IS NOT NULL) THEN (
         SELECT array_agg(n)
           FROM checked
          WHERE submission_id = chunk.id
            AND (status = 'FAILED' OR held_until IS NOT NULL)
       ) END AS skipped,
       CASE WHEN EXISTS (SELECT FROM ended_events) THEN (
         SELECT array_agg(r.id)
           FROM ended_events r
          WHERE r.submission_id = chunk.id
       ) END AS "reportIds",
       take_held AS "takeHeld",
       round.more, round.next
  FROM round
  LEFT JOIN chunk ON true;
