WITH edited AS (
  UPDATE template t
     SET status = 'PENDING',
         version = version + 1,
         category = $5,
         rejection_reason = NULL,
         approved_version = CASE WHEN status = 'PAUSED' THEN NULL ELSE approved_version END,
         edited_on = (now() AT TIME ZONE 'UTC')::date,
         month_edits = CASE
                         WHEN date_trunc('month', t.edited_on) = date_trunc('month', (now() AT TIME ZONE 'UTC')::date)
                         THEN t.month_edits
                         ELSE 0
                       END + 1,
         submitted_at = now(),
         starts = 0,
         updated_at = now()
   WHERE id = $1
     AND account_id = $2
     AND deleted_at IS NULL
     AND version = $3
     AND status = ANY($4)
     AND edited_on IS DISTINCT FROM (now() AT TIME ZONE 'UTC')::date
     AND 10 - CASE
                WHEN date_trunc('month', t.edited_on) = date_trunc('month', (now() AT TIME ZONE 'UTC')::date)
                THEN t.month_edits
                ELSE 0
              END > 0
  RETURNING id, version
), versions AS (
  INSERT INTO template_version (template_id, version, account_id, category, components, allow_category_change,
                                code_expiration_minutes, created_at)
  SELECT id, version, $2, $5, $6, $7, $8, now()
    FROM edited
), events AS (
  INSERT INTO template_event (id, template_id, account_id, version, event, actor, created_at)
  SELECT uuidv7(), id, $2, version, 'edited', $9, now()
    FROM edited
)
SELECT id FROM edited;
