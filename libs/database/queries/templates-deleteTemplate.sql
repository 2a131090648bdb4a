WITH deleted AS (
  UPDATE template
     SET deleted_at = now(), updated_at = now()
   WHERE id = $1
     AND account_id = $2
     AND deleted_at IS NULL
  RETURNING id, version
), events AS (
  INSERT INTO template_event (id, template_id, account_id, version, event, actor, created_at)
  SELECT uuidv7(), id, $2, version, 'deleted', $3, now()
    FROM deleted
)
SELECT id FROM deleted;
