WITH given AS (
  SELECT *
    FROM unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::text[],
                $7::text[])
           AS given(id, version, from_status, to_status, event, category, reason)
   ORDER BY id
), moved AS (
  UPDATE template t
     SET status = given.to_status,
         category = COALESCE(given.category, t.category),
         updated_at = now(),
         approved_version = CASE given.to_status WHEN 'REJECTED' THEN NULL ELSE t.version END,
         rejection_reason = CASE given.to_status WHEN 'REJECTED' THEN given.reason END
    FROM given
   WHERE t.id = given.id
     AND t.status = given.from_status
     AND (given.version IS NULL OR t.version = given.version)
     AND t.deleted_at IS NULL
     AND ($9::uuid IS NULL OR t.account_id = $9)
     AND NOT EXISTS (
               SELECT
                 FROM gateway_number gn
                      JOIN gateway g ON g.name = gn.gateway AND g.kind = 'cloud-api' AND g.enabled
                      JOIN chat_sender cs ON cs.msisdn = gn.msisdn
                WHERE cs.account_id = t.account_id
                  AND cs.chat_account_id = t.chat_account_id
             )
  RETURNING t.id, t.account_id, t.version, given.event, given.reason
), unregistered AS (
  -- a provider that serves the template again has not approved it, so it is enrolled anew
  DELETE FROM template_registration
   WHERE template_id IN (
     SELECT r.template_id
       FROM template_registration r
       JOIN moved ON moved.id = r.template_id
      WHERE moved.event = 'approved'
        FOR UPDATE OF r SKIP LOCKED
   )
), events AS (
  INSERT INTO template_event (id, template_id, account_id, version, event, actor, reason, created_at)
  SELECT uuidv7(), id, account_id, version, event, $8, reason, now()
    FROM moved
)
SELECT id FROM moved;
