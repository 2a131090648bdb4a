SELECT EXISTS (
SELECT
  FROM template t
 WHERE CASE
         WHEN t.registered_version IS NULL THEN 'none'
         WHEN t.deleted_at IS NOT NULL THEN 'delete'
         WHEN t.status <> 'PENDING' THEN 'none'
         WHEN t.registered_version < t.version THEN 'send'
         ELSE 'decide'
       END = 'decide'
   AND t.registered_with IN (concat($1::text, ' ', $2::text), concat($1::text, ' '))
) AS found;
