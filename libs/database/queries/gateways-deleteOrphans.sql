DELETE FROM orphan_report o
 USING (
         SELECT *
           FROM unnest($1::uuid[])
                  AS named(id)
          ORDER BY id
       ) AS named
 WHERE o.id = named.id;
