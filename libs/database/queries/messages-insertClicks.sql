INSERT INTO short_link_click (id, account_id, submission_id, n, link, kind, clicked_at)
SELECT *
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::integer[], $5::smallint[], $6::text[],
              $7::timestamptz[])
         AS click(id, account_id, submission_id, n, link, kind, clicked_at);
