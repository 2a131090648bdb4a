SELECT gateway_message_id AS id
  FROM gateway_message_id
 WHERE gateway = $1
   AND day >= (now() AT TIME ZONE 'UTC')::date - 1
 LIMIT $2;
