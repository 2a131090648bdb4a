SELECT prefix, carrier AS operator, circle
  FROM carrier_prefix
 WHERE import_id = $1
   AND prefix > $2
 ORDER BY prefix
 LIMIT 50000;
