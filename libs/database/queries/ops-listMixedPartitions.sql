SELECT i.inhparent::regclass::text AS parent, c.relname AS name
  FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid
 WHERE i.inhparent = ANY($1::regclass[])
   AND c.relname ~ '_(default|until_[0-9]{8})$'
 ORDER BY c.relname;
