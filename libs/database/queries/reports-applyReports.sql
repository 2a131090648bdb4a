WITH reported AS (
  -- a second report of the same status moves nothing
  SELECT DISTINCT ON (submission_id, n, status) e.*, e AS report
    FROM message_event e
   WHERE id = ANY($1::uuid[])
     AND settled_at IS NULL
   ORDER BY submission_id, n, status, id
), together AS (
  -- four whole rows, each null where there is no such report. COALESCE takes the first that exists. Conditions test
  -- their ids, because IS NOT NULL is false for a row with any null column
  SELECT *,
         any_value(report) FILTER (WHERE status = 'SENT') OVER of_message AS sent,
         any_value(report) FILTER (WHERE status = 'FAILED') OVER of_message AS failed,
         any_value(report) FILTER (WHERE status = 'DELIVERED') OVER of_message AS delivered,
         any_value(report) FILTER (WHERE status = 'READ') OVER of_message AS read
    FROM reported
  WINDOW of_message AS (PARTITION BY submission_id, n)
), candidate AS (
  -- the last report; and the one before a Read without a Delivered. Without a Read the second condition adds no row.
  -- Events that move no message, such as RECEIVED, drop out here
  SELECT *
    FROM together
   WHERE id = (COALESCE(read, delivered, failed, sent)).id
      OR id = (COALESCE(failed, sent)).id AND (delivered).id IS NULL
   ORDER BY submission_id, n
)
UPDATE message m
   SET status = r.status,
       -- when to ask for a missing report, and which gateway: a Sent keeps the time, but not that of a parked message,
       -- and sets that of a held one; a later status clears both. Both are null for nearly all messages, whose time is
       -- that of their claim in `claim_batch`, so they change no index
       due_at = CASE
         WHEN r.status <> 'SENT' THEN NULL
         WHEN m.due_at = 'infinity' OR m.held_until IS NOT NULL
         THEN now() + make_interval(secs => 10)
         ELSE m.due_at
       END,
       asks = CASE
         WHEN r.status = 'SENT' AND (m.due_at IS NOT NULL OR m.held_until IS NOT NULL)
         THEN COALESCE(CASE WHEN m.status <> 'PENDING' THEN m.gateway END, r.gateway)
       END,
       -- a message may be reclaimed and held before the report of its first submit comes
       held_until = NULL,
       -- the reports that move it, in order. WHEN: no report of the batch precedes `r`, as for nearly all messages. The
       -- ELSE has the same result then, and costs more. It adds a Sent only as the first entry, also when the submit
       -- has set the status already
       moved_by = m.moved_by || CASE
         WHEN r.id = (COALESCE(r.sent, r.failed, r.delivered, r.read)).id THEN ARRAY[r.id]
         ELSE array_remove(ARRAY[
           CASE WHEN m.moved_by IS NULL THEN (r.sent).id END,
           CASE WHEN m.status IN ('PENDING', 'SENT') THEN (r.failed).id END,
           CASE WHEN m.status IN ('PENDING', 'SENT', 'FAILED') THEN (r.delivered).id END,
           CASE WHEN r.status = 'READ' THEN r.id END
         ], NULL)
       END,
       gateway = COALESCE(CASE WHEN m.status <> 'PENDING' THEN m.gateway END, r.gateway),
       unconfirmed_at = NULL,
       err_code = r.err_code,
       status_description = r.description,
       -- of the last report that moves it and names one
       operator_circle = COALESCE(
         r.operator_circle,
         CASE WHEN m.status IN ('PENDING', 'SENT', 'FAILED') THEN (r.delivered).operator_circle END,
         CASE WHEN m.status IN ('PENDING', 'SENT') THEN (r.failed).operator_circle END,
         CASE WHEN m.moved_by IS NULL THEN (r.sent).operator_circle END,
         m.operator_circle
       ),
       -- any report implies that the message was sent; by our clock, as the submit sets it, unlike the times below
       sent_at = COALESCE(m.sent_at, (r.sent).received_at, (r.failed).received_at, (r.delivered).received_at,
                          r.received_at),
       -- a message that was read was delivered
       delivered_at = COALESCE(m.delivered_at, (r.delivered).reported_at,
                               CASE WHEN r.status = 'READ' THEN r.reported_at END),
       read_at = CASE WHEN r.status = 'READ' THEN r.reported_at END,
       -- a gateway may correct a failure: the time of the failure stays
       failed_at = COALESCE(m.failed_at, CASE
         WHEN m.status IN ('PENDING', 'SENT') THEN (r.failed).reported_at
       END)
  FROM candidate AS r
  -- equals r.submission_id. Written so, the planner cannot infer m.submission_id = s.id: a plan made while the tables
  -- were nearly empty would find m by that alone, and read all messages of a submission for each report
  JOIN submission s ON s.id = (r.report).submission_id
 WHERE m.submission_id = r.submission_id
   AND m.n = r.n
   AND CASE WHEN
         (CASE r.status
            WHEN 'SENT' THEN m.status IN ('PENDING')
            WHEN 'FAILED' THEN m.status IN ('PENDING', 'SENT')
            WHEN 'DELIVERED' THEN m.status IN ('PENDING', 'SENT', 'FAILED')
            WHEN 'READ' THEN m.status IN ('PENDING', 'SENT', 'FAILED', 'DELIVERED')
          END
          OR r.status = 'SENT' AND m.status = 'SENT' AND m.moved_by IS NULL)
         -- does not skip Sent while the report of it may still arrive; Failed may skip it
         AND NOT (m.moved_by IS NULL
                  AND (r.sent).id IS NULL
                  AND (r.failed).id IS NULL
                  AND (s.channel = 'chatapp' AND r.received_at > now() - interval '5 seconds'))
         -- the last report; or, while a Read waits for a Delivered, the one before it, if any. Without a Read the WHEN
         -- is not true
         AND r.id = CASE
                      WHEN m.delivered_at IS NULL
                           AND (r.delivered).id IS NULL
                           AND (s.channel = 'chatapp' AND (r.read).received_at > now() - interval '5 seconds')
                      THEN (COALESCE(r.failed, r.sent)).id
                      ELSE (COALESCE(r.read, r.delivered, r.failed, r.sent)).id
                    END
       THEN true END
RETURNING r.id AS "reportId", r.submission_id AS "submissionId", r.n,
          m.account_id AS "accountId",
          m.recipient AS recipient,
          s.sender AS sender,
          s.lane, r.gateway, r.status, r.err_code AS "errCode", r.description, r.operator_circle AS "operatorCircle",
          m.credits AS credits,
          s.accepted_at AS "acceptedAt",
          CASE WHEN r.status IN ('DELIVERED', 'READ') THEN COALESCE(m.delivered_at, r.reported_at) END AS "deliveredAt",
          (r.status IN ('DELIVERED', 'FAILED')
           OR r.status = 'READ'
              AND m.delivered_at = r.reported_at
              -- looked up only when the times are equal, which they also are when a gateway reports both for one second
              AND NOT EXISTS (SELECT FROM message_event e WHERE e.id = ANY(m.moved_by) AND e.status = 'DELIVERED')
          ) AS "isFinal",
          CASE WHEN m.moved_by[1] <> r.id THEN m.moved_by[: array_position(m.moved_by, r.id) - 1] END AS earlier,
          CASE s.channel WHEN 'chatapp' THEN r.reported_at END AS "chatAt",
          s.kind, s.campaign, s.client_ref AS "clientRef",
          CASE s.kind WHEN 'template' THEN s.content->'template'->>'name' END AS "templateName",
          CASE s.kind WHEN 'template' THEN s.content->'template'->>'language' END AS language,
          -- null when no report of the batch precedes `r`. May have `r` itself, and reports that move nothing
          CASE
            WHEN r.id <> (COALESCE(r.sent, r.failed, r.delivered, r.read)).id
            THEN json_build_array(
              json_build_object(
                'reportId', (r.sent).id, 'gateway', (r.sent).gateway,
                'status', (r.sent).status, 'errCode', (r.sent).err_code,
                'description', (r.sent).description, 'reportedAt', (r.sent).reported_at,
                'operatorCircle', (r.sent).operator_circle
              ),
              json_build_object(
                'reportId', (r.failed).id, 'gateway', (r.failed).gateway,
                'status', (r.failed).status, 'errCode', (r.failed).err_code,
                'description', (r.failed).description, 'reportedAt', (r.failed).reported_at,
                'operatorCircle', (r.failed).operator_circle
              ),
              json_build_object(
                'reportId', (r.delivered).id, 'gateway', (r.delivered).gateway,
                'status', (r.delivered).status, 'errCode', (r.delivered).err_code,
                'description', (r.delivered).description, 'reportedAt', (r.delivered).reported_at,
                'operatorCircle', (r.delivered).operator_circle
              )
            )
          END AS before,
          (SELECT set_config('synchronous_commit', 'on', true));
