SELECT named.gateway, named.submission_id AS "submissionId", named.n
  FROM unnest($1::text[], $2::uuid[], $3::integer[])
         AS named(gateway, submission_id, n)
  JOIN message m ON m.submission_id = named.submission_id AND m.n = named.n
 WHERE m.status <> 'PENDING' -- the gateway of a pending message may be one that did not take it
   AND m.gateway <> named.gateway;
