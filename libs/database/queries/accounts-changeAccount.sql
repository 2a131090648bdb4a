UPDATE account
   SET name = COALESCE($2, name),
       status = COALESCE($3, status),
       sms_per_second = CASE WHEN $4 THEN $5::integer ELSE sms_per_second END,
       limits = jsonb_strip_nulls(limits || $6::jsonb)
 WHERE id = $1
   AND NOT EXISTS (SELECT FROM account other WHERE other.name = $2 AND other.id <> $1)
RETURNING id;
