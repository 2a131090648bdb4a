WITH deleted AS (
  UPDATE chat_account
     SET deleted_at = now()
   WHERE id = $1
     AND account_id = $2
     AND deleted_at IS NULL
  RETURNING id
), freed AS (
  DELETE FROM chat_sender
   WHERE chat_account_id IN (SELECT id FROM deleted)
), templates AS (
  UPDATE template
     SET deleted_at = now(), updated_at = now()
   WHERE account_id = $2
     AND chat_account_id IN (SELECT id FROM deleted)
     AND deleted_at IS NULL
  RETURNING id, version
), events AS (
  INSERT INTO template_event (id, template_id, account_id, version, event, actor, created_at)
  SELECT uuidv7(), id, $2, version, 'deleted', $3, now()
    FROM templates
)
SELECT id FROM deleted;
