SELECT
  FROM webhook
 WHERE id = $1
   AND endpoint <> $2;
