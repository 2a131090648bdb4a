SELECT id, received_at AS at, kind,
       reply_to_submission_id IS NOT DISTINCT FROM $4::uuid
         AND reply_to_n IS NOT DISTINCT FROM $5::integer AS "isAnswer"
  FROM inbound_message
 WHERE account_id = $1
   AND sender = $2
   AND recipient = $3
   AND id > $4::uuid
 ORDER BY id
 LIMIT 20;
