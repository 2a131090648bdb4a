WITH refused AS (
  UPDATE template_registration
     SET attempted_version = version,
         gateway_template_id = CASE WHEN version > 0 THEN gateway_template_id END,
         reserved_name = CASE WHEN version > 0 THEN reserved_name END,
         status = 'REFUSED',
         reason = $3,
         problem = NULL,
         starts = 0,
         due_at = now()
   WHERE template_id = $1
     AND version < $2
  RETURNING gateway
), moved AS (
  UPDATE template t
     SET status = 'REJECTED', rejection_reason = $3, approved_version = NULL, updated_at = now()
    FROM refused
   WHERE t.id = $1
     AND t.version = $2
     AND t.status = 'PENDING'
     AND t.deleted_at IS NULL
  RETURNING t.id, t.account_id, refused.gateway
)
INSERT INTO template_event (id, template_id, account_id, version, event, actor, reason, created_at)
SELECT uuidv7(), id, account_id, $2, 'rejected', 'gateway:' || gateway, $3, now()
  FROM moved;
