SELECT 1
  FROM app_user
 WHERE id = ANY($1)
 ORDER BY id
   FOR UPDATE;
