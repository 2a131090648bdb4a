SELECT c.id, c.gateway, c.body
  FROM unnest($1::uuid[]) WITH ORDINALITY AS named(id, place)
  JOIN callback c ON c.id = named.id
 WHERE c.processed_at IS NULL
 ORDER BY named.place
   FOR UPDATE OF c SKIP LOCKED;
