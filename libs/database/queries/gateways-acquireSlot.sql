WITH free AS (
  SELECT n
    FROM generate_series(0, $2 - 1) AS n
    LEFT JOIN bind_slot AS b ON b.gateway = $1 AND b.slot = n AND b.leased_until > now()
   WHERE b.slot IS NULL
   ORDER BY n
   LIMIT 1
)
INSERT INTO bind_slot AS b (gateway, slot, holder, leased_until)
SELECT $1, n, $3, now() + interval '10 seconds'
  FROM free
ON CONFLICT ON CONSTRAINT bind_slot_pkey DO UPDATE
   SET holder = EXCLUDED.holder, leased_until = EXCLUDED.leased_until
 WHERE b.leased_until <= now()
RETURNING slot, 1 + (
  SELECT count(*)::int
    FROM bind_slot AS o
   WHERE o.gateway = $1 AND o.slot <> b.slot AND o.leased_until > now()
) AS "inUse";
