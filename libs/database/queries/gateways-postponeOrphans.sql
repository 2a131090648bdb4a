UPDATE orphan_report o
   SET next_try_at = CASE
                       WHEN now() < received_at + interval '10 seconds' THEN received_at + interval '10 seconds'
                       WHEN now() < received_at + interval '1 minute' THEN received_at + interval '1 minute'
                       WHEN now() < received_at + interval '10 minutes' THEN received_at + interval '10 minutes'
                       WHEN now() < received_at + interval '1 hour' THEN received_at + interval '1 hour'
                       WHEN kind = 'inbound' THEN now() + interval '1 hour'
                     END
  FROM (
         SELECT *
           FROM unnest($1::uuid[])
                  AS named(id)
          ORDER BY id
       ) AS named
 WHERE o.id = named.id;
