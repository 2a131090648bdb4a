UPDATE deferred_batch d
   SET claimed_until = now() + make_interval(secs => $2)
  FROM (
         SELECT *
           FROM unnest($1::uuid[])
                  AS named(id)
          ORDER BY id
       ) AS named
 WHERE d.id = named.id;
