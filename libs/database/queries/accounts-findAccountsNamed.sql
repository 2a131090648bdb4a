SELECT id, name
  FROM account
 WHERE name = $1
    OR id::text = $1
 ORDER BY id;
