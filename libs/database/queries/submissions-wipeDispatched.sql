UPDATE submission s
   SET sealed = NULL
  FROM (
         SELECT *
           FROM unnest($1::uuid[])
                  AS named(id)
          ORDER BY id
       ) AS named
 WHERE s.id = named.id
   AND CASE WHEN
         s.sealed IS NOT NULL AND s.fanned_out_at IS NOT NULL
       THEN true END
   AND NOT EXISTS (SELECT FROM message m WHERE m.submission_id = s.id AND m.status = 'PENDING');
