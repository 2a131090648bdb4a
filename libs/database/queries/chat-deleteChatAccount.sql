WITH deleted AS (
  UPDATE chat_account
     SET deleted_at = now()
   WHERE id = $1
     AND account_id = $2
     AND deleted_at IS NULL
  RETURNING id
), gone AS (
  DELETE FROM chat_sender
   WHERE msisdn IN (
     SELECT msisdn
       FROM chat_sender
      WHERE chat_account_id IN (SELECT id FROM deleted)
      ORDER BY msisdn
        FOR UPDATE
   )
  RETURNING msisdn, account_id
), quarantined AS (
  INSERT INTO sender_assignment AS sa (msisdn, account_id, assigned_by, quarantined_until)
  SELECT msisdn, account_id, 'account', now() + interval '90 days'
    FROM gone
   ORDER BY msisdn
  ON CONFLICT ON CONSTRAINT sender_assignment_pkey DO UPDATE
     SET quarantined_until = EXCLUDED.quarantined_until
   WHERE sa.account_id = EXCLUDED.account_id
     AND sa.assigned_by = 'account'
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
