UPDATE endpoint
   SET open_until = now() + make_interval(secs => $2)
 WHERE webhook_id IN (
   SELECT webhook_id
     FROM endpoint
    WHERE webhook_id = ANY($1::uuid[])
      AND open_until <= now()
      FOR UPDATE SKIP LOCKED
 )
RETURNING webhook_id AS "webhookId";
