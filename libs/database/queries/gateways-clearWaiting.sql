UPDATE gateway_message_id m
   SET waiting_since = NULL
  FROM (
         SELECT *
           FROM unnest($1::uuid[], $2::integer[])
                  AS given(submission_id, n)
          ORDER BY submission_id, n
       ) AS given
 WHERE m.submission_id = given.submission_id
   AND m.n = given.n
   AND m.segments > 1
   AND m.waiting_since IS NOT NULL;
