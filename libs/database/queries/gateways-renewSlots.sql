UPDATE bind_slot AS b
   SET leased_until = now() + interval '10 seconds'
 WHERE holder = ANY($1::uuid[])
RETURNING holder, slot, 1 + (
  SELECT count(*)::int
    FROM bind_slot AS o
   WHERE o.gateway = b.gateway AND o.slot <> b.slot AND o.leased_until > now()
) AS "inUse";
