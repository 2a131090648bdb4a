SELECT submission_id AS "submissionId", n, recipient, sender, channel, sealed_text AS "sealedText",
       received_at AS "receivedAt"
  FROM phone_message
 WHERE account_id = $1
   AND recipient = $2
   AND received_at > now() - interval '1 hour'
   AND ($4::uuid IS NULL OR (submission_id, n) < ($4, $5::integer))
 ORDER BY submission_id DESC, n DESC
 LIMIT $3;
