WITH given AS (
  SELECT *
    FROM unnest($2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::jsonb[],
                $8::boolean[], $9::smallint[])
           AS given(id, chat_account_id, name, language, category, components,
                    allow_category_change, code_expiration_minutes)
), stored AS (
  INSERT INTO template (id, account_id, chat_account_id, name, language, status, category, version,
                        submitted_at, created_at, updated_at)
  SELECT id, $1, chat_account_id, name, language, 'PENDING', category, 1, $11, $11, $11
    FROM given
   ORDER BY language
  ON CONFLICT (account_id, chat_account_id, name, language) WHERE deleted_at IS NULL DO NOTHING
  RETURNING id
), versions AS (
  INSERT INTO template_version (template_id, version, account_id, category, components, allow_category_change,
                                code_expiration_minutes, created_at)
  SELECT id, 1, $1, category, components, allow_category_change, code_expiration_minutes, $11
    FROM given
    JOIN stored USING (id)
), events AS (
  INSERT INTO template_event (id, template_id, account_id, version, event, actor, created_at)
  SELECT uuidv7(), id, $1, 1, 'created', $10, $11
    FROM stored
)
SELECT language
  FROM given
 WHERE NOT EXISTS (SELECT FROM stored WHERE stored.id = given.id);
