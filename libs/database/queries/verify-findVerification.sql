SELECT v.id, v.config_id AS "configId", v.recipient, v.country, v.is_test AS "isTest",
       CASE
         WHEN v.status IN ('WAITING', 'SENT') AND v.expires_at <= now() THEN 'EXPIRED'
         ELSE v.status
       END AS status,
       v.attempts,
       GREATEST(0, LEAST(
         v.max_attempts - v.attempts,
         CASE WHEN NOT v.is_test THEN 20 - (
           SELECT count(*)
             FROM verification_number vn, unnest(vn.wrong_at) AS w
            WHERE vn.account_id = v.account_id
              AND vn.recipient = v.recipient
              AND w > now() - interval '1 day'
         ) END
       ))::integer AS "attemptsRemaining",
       v.guard_reason AS "guardReason", v.created_at AS "createdAt", v.expires_at AS "expiresAt",
       v.sent_at AS "sentAt", v.verified_at AS "verifiedAt", COALESCE(flow.steps, '[]') AS steps
  FROM verification v
  LEFT JOIN LATERAL (
    SELECT json_agg(
             json_build_object(
               'channel', vs.channel,
               'status', vs.status,
               'reason', vs.reason,
               'dueAt', vs.due_at,
               'submissionId', vs.submission_id,
               'messageStatus', COALESCE(CASE WHEN m.unconfirmed_at IS NULL THEN m.status END, 'PENDING'),
               'messageUnconfirmed', m.unconfirmed_at IS NOT NULL,
               'messageErrCode', m.err_code
             )
             ORDER BY vs.step
           ) AS steps
      FROM (
        SELECT step, channel, status, reason, due_at, submission_id
          FROM verification_step
         WHERE verification_id = v.id
         UNION ALL
        SELECT 1, 'sms', 'SENT', NULL, v.sent_at, v.submission_id
         WHERE v.submission_id IS NOT NULL
           AND NOT EXISTS (SELECT FROM verification_step WHERE verification_id = v.id)
      ) AS vs
      LEFT JOIN message m ON m.submission_id = vs.submission_id AND m.n = 1
  ) AS flow ON true
 WHERE v.id = $2
   AND v.account_id = $1;
