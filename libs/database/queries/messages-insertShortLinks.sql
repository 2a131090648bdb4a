INSERT INTO short_link (code, account_id, submission_id, n, link, expires_at)
SELECT given.*, now() + make_interval(days => $6)
  FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::integer[], $5::smallint[])
         AS given(code, account_id, submission_id, n, link)
 ORDER BY code
ON CONFLICT ON CONSTRAINT short_link_pkey DO NOTHING;
