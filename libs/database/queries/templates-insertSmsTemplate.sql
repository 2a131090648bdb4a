INSERT INTO "sms_template"("id", "account_id", "name", "text", "sender", "type", "dlt_entity_id", "dlt_template_id", "created_at", "updated_at") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);
