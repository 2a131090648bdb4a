UPDATE message
   SET starts = 0, due_at = now(), claimed_until = now()
 WHERE (submission_id, n) IN (SELECT id, n FROM unnest($1::uuid[], $2::integer[])
                                                  AS wanted(id, n))
   AND lane IN ('OTP', 'TRANS', 'PROMO', 'CHAT_OTP', 'CHAT') AND due_at = 'infinity' AND asks IS NULL
RETURNING submission_id AS id, n;

UPDATE message_event
   SET starts = 0, due_at = now()
 WHERE id IN (SELECT id FROM unnest($1::uuid[], $2::integer[])
                               AS wanted(id, n))
   AND is_code IN (true, false) AND due_at = 'infinity'
RETURNING id, 0 AS n;

UPDATE template
   SET starts = 0
 WHERE id IN (SELECT id FROM unnest($1::uuid[], $2::integer[])
                               AS wanted(id, n))
   AND status = 'PENDING'
       AND deleted_at IS NULL
       AND starts >= 10
       AND NOT EXISTS (SELECT FROM template_registration r WHERE r.template_id = template.id)
RETURNING id, 0 AS n;

UPDATE callback
   SET starts = 0
 WHERE id IN (SELECT id FROM unnest($1::uuid[], $2::integer[])
                               AS wanted(id, n))
   AND processed_at IS NULL AND starts >= 10
RETURNING id, 0 AS n;

UPDATE verification
   SET starts = 0
 WHERE id IN (SELECT id FROM unnest($1::uuid[], $2::integer[])
                               AS wanted(id, n))
   AND status = 'WAITING' AND starts >= 10
RETURNING id, 0 AS n;
