INSERT INTO deferred_batch (is_code, account_id, oldest, pushes, reports, ids)
SELECT is_code, account_id, (ids::uuid[])[1], pushes, reports, ids::uuid[]
  FROM unnest($1::boolean[], $2::uuid[], $3::integer[], $4::integer[], $5::text[])
         AS given(is_code, account_id, pushes, reports, ids);
