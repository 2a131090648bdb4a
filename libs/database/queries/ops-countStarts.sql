UPDATE message_event
   SET starts = starts + 1, due_at = CASE WHEN starts + 1 < 10 THEN due_at ELSE 'infinity' END
 WHERE id IN (
   SELECT id
     FROM message_event
    WHERE id = ANY($1::uuid[])
      AND settled_at IS NULL
      AND starts < 10
      FOR UPDATE SKIP LOCKED
 )
RETURNING id;

UPDATE callback
   SET starts = starts + 1
 WHERE id IN (
   SELECT id
     FROM callback
    WHERE id = ANY($1::uuid[])
      AND processed_at IS NULL
      AND starts < 10
      FOR UPDATE SKIP LOCKED
 )
RETURNING id;

UPDATE verification
   SET starts = starts + 1
 WHERE id IN (
   SELECT id
     FROM verification
    WHERE id = ANY($1::uuid[])
      AND status = 'WAITING'
      AND starts < 10
      FOR UPDATE SKIP LOCKED
 )
RETURNING id;

UPDATE template
   SET starts = starts + 1
 WHERE id IN (
   SELECT id
     FROM template
    WHERE id = ANY($1::uuid[])
      AND status = 'PENDING'
          AND deleted_at IS NULL
          AND NOT EXISTS (
                    SELECT
                      FROM gateway_number gn
                           JOIN gateway g ON g.name = gn.gateway AND g.kind = 'cloud-api' AND g.enabled
                           JOIN chat_sender cs ON cs.msisdn = gn.msisdn
                     WHERE cs.account_id = template.account_id
                       AND cs.chat_account_id = template.chat_account_id
                  )
      AND starts < 10
      FOR UPDATE SKIP LOCKED
 )
RETURNING id;
