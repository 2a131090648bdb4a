DELETE FROM unconfirmed_message um
 USING (
         SELECT *
           FROM unnest($1::uuid[], $2::integer[])
                  AS key(submission_id, n)
          ORDER BY submission_id, n
       ) AS key
 WHERE um.submission_id = key.submission_id
   AND um.n = key.n;
