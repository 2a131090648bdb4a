DELETE FROM deferred_batch d
 USING (
         SELECT *
           FROM unnest($1::uuid[])
                  AS named(id)
          ORDER BY id
       ) AS named
 WHERE d.id = named.id;
