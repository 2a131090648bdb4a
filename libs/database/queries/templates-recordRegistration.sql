WITH recorded AS (
  UPDATE template_registration
     SET gateway_template_id = $3, version = $2, attempted_version = GREATEST(attempted_version, $2),
         status = NULL, reason = NULL, starts = 0, problem = NULL, due_at = now(),
         status_at = date_trunc('second', now()) -- a list from before shows the version before
   WHERE template_id = $1
     AND version < $2
     AND gateway = $4
  RETURNING template_id, gateway
)
INSERT INTO template_event (id, template_id, account_id, version, event, actor, reason, created_at)
SELECT uuidv7(), t.id, t.account_id, $2, 'registered', 'gateway:' || recorded.gateway, $3, now()
  FROM recorded
  JOIN template t ON t.id = recorded.template_id;
