SELECT limits->>$2 AS max
  FROM account
 WHERE id = $1;
