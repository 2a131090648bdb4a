DELETE FROM unconfirmed_message um
 USING unnest($1::uuid[], $2::integer[])
         AS key(submission_id, n)
 WHERE um.submission_id = key.submission_id
   AND um.n = key.n;
