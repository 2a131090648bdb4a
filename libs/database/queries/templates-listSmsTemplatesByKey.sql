SELECT t.id, t.account_id AS "accountId", t.name, t.text, t.sender, t.type, t.dlt_entity_id AS "dltEntityId",
       t.dlt_template_id AS "dltTemplateId", t.created_at AS "createdAt", t.updated_at AS "updatedAt"
  FROM unnest($1::uuid[], $2::uuid[])
         AS wanted(account_id, id)
  JOIN sms_template t ON t.id = wanted.id AND t.account_id = wanted.account_id;
