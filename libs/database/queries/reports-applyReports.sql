WITH open AS (
  -- the unsettled reports that can move a message: for each status of a message, the first
  SELECT DISTINCT ON (submission_id, n, place) *
    FROM (
      SELECT r AS report, r.*, array_position($2::text[], r.status) AS place
        FROM message_event r
       WHERE id = ANY($1::uuid[])
         AND settled_at IS NULL
    ) AS placed
   WHERE place IS NOT NULL
   ORDER BY submission_id, n, place, id
), ordered AS (
  -- a message may move through several statuses in one statement, four at most, so each report carries the
  -- three before it, `r1` the nearest
  SELECT *,
         lag(report) OVER life AS r1,
         lag(report, 2) OVER life AS r2,
         lag(report, 3) OVER life AS r3,
         lead(status) OVER life AS next_status,
         lead(received_at) OVER life AS next_received_at
    FROM open
  WINDOW life AS (PARTITION BY submission_id, n)
), r AS (
  -- the report that each message may stop at: its last, or the one before a Read that may have to wait
  SELECT *
    FROM ordered
   WHERE next_status IS NULL
      OR next_status = 'READ' AND status <> 'DELIVERED'
)
UPDATE message m
   SET status = r.status,
       -- already null for nearly all messages: then no index changes
       due_at = CASE WHEN r.status = 'SENT' THEN m.due_at END,
       asks = CASE WHEN r.status = 'SENT' AND m.due_at IS NOT NULL THEN COALESCE(m.gateway, r.gateway) END,
       -- all its reports that move it forward, in order; nearly always one
       moved_by = m.moved_by || CASE WHEN r.r1 IS NULL THEN ARRAY[r.id] ELSE ARRAY(
         SELECT step.id
           FROM unnest(ARRAY[r.r3, r.r2, r.r1, r.report]) AS step
          WHERE step.id IS NOT NULL
            AND (m.moved_by IS NULL OR array_position($2::text[], m.status) < array_position($2::text[], step.status))
       ) END,
       gateway = COALESCE(m.gateway, r.gateway),
       unconfirmed_at = NULL,
       err_code = r.err_code,
       status_description = r.description,
       operator_circle = COALESCE(r.operator_circle, (r.r1).operator_circle, (r.r2).operator_circle,
                                  (r.r3).operator_circle, m.operator_circle),
       -- any report says that it was sent, the earliest first
       sent_at = COALESCE(m.sent_at, (r.r3).received_at, (r.r2).received_at, (r.r1).received_at, r.received_at),
       -- a message that was read was delivered
       delivered_at = COALESCE(m.delivered_at, CASE
         WHEN (r.r1).status = 'DELIVERED' THEN (r.r1).reported_at
         WHEN r.status IN ('DELIVERED', 'READ') THEN r.reported_at
       END),
       read_at = CASE r.status WHEN 'READ' THEN r.reported_at END,
       -- a gateway may correct a failure: the time of the failure stays
       failed_at = COALESCE(m.failed_at, CASE
         WHEN array_position($2::text[], m.status) < array_position($2::text[], 'FAILED') THEN
         CASE 'FAILED'
           WHEN r.status THEN r.reported_at
           WHEN (r.r1).status THEN (r.r1).reported_at
           WHEN (r.r2).status THEN (r.r2).reported_at
         END
       END)
  FROM r
  -- not by r.submission_id: a plan made while the tables were nearly empty would look up m by s.id alone, and read
  -- all messages of a submission for each report
  JOIN submission s ON s.id = (r.report).submission_id
 WHERE m.submission_id = r.submission_id
   AND m.n = r.n
   AND CASE WHEN
         (array_position($2::text[], m.status) < r.place
          OR r.status = 'SENT' AND m.status = 'SENT' AND m.moved_by IS NULL)
         AND NOT (
           (s.channel = 'chatapp' AND r.received_at > now() - interval '5 seconds')
           AND (m.moved_by IS NULL
                  AND COALESCE((r.r3).status, (r.r2).status, (r.r1).status, r.status) IN ('DELIVERED', 'READ')
                OR m.delivered_at IS NULL
                  AND r.status = 'READ'
                  AND (r.r1).status IS DISTINCT FROM 'DELIVERED')
         )
         AND (r.next_status IS NULL
              OR m.delivered_at IS NULL
              AND (s.channel = 'chatapp' AND r.next_received_at > now() - interval '5 seconds'))
       THEN true END
RETURNING r.id AS "reportId", r.submission_id AS "submissionId", r.n,
          m.account_id AS "accountId",
          m.recipient AS recipient,
          s.sender AS sender,
          s.lane, r.gateway, r.status, r.err_code AS "errCode", r.description, r.operator_circle AS "operatorCircle",
          m.credits AS credits,
          s.accepted_at AS "acceptedAt",
          CASE WHEN r.status IN ('DELIVERED', 'READ') THEN COALESCE(m.delivered_at, r.reported_at) END AS "deliveredAt",
          (r.status IN ('DELIVERED', 'FAILED') OR r.status = 'READ' AND m.delivered_at = r.reported_at) AS "isFinal",
          CASE WHEN m.moved_by[1] <> r.id THEN m.moved_by[: array_position(m.moved_by, r.id) - 1] END AS earlier,
          CASE WHEN s.channel = 'chatapp' THEN jsonb_build_object(
            'at', r.reported_at,
            'kind', s.kind,
            'campaign', s.campaign,
            'clientRef', s.client_ref,
            'template', CASE s.kind WHEN 'template' THEN jsonb_build_object(
              'name', s.content->'template'->'name', 'language', s.content->'template'->'language'
            ) END
          ) END AS chat,
          set_config('synchronous_commit', 'on', true);
