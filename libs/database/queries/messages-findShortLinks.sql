SELECT l.code, l.account_id AS "accountId", l.submission_id AS "submissionId", l.n, l.link,
       s.content->'links'->'targets'->>(l.link - 1) AS target
  FROM short_link l
  JOIN submission s ON s.id = l.submission_id
 WHERE l.code = ANY($1::text[])
   AND l.expires_at > now();
