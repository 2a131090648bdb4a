SELECT COALESCE(sum(reports), 0)::integer AS reports, count(DISTINCT account_id)::integer AS accounts
  FROM deferred_batch;
