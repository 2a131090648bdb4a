
SELECT
  FROM account
 WHERE false
   FOR UPDATE;
