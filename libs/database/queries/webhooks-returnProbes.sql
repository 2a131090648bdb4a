UPDATE endpoint
   SET open_until = now()
 WHERE webhook_id IN (
   SELECT webhook_id
     FROM endpoint
    WHERE webhook_id = ANY($1::uuid[])
      AND open_level > 0
      FOR UPDATE SKIP LOCKED
 );
