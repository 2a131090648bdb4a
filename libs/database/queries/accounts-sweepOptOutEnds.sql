DELETE FROM opt_out_end
 WHERE (account_id, recipient, sender, source) IN (
   SELECT account_id, recipient, sender, source
     FROM opt_out_end
    WHERE ended_at < now() - interval '30 days'
    ORDER BY ended_at
    LIMIT 10000
      FOR UPDATE SKIP LOCKED
 );
