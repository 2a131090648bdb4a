UPDATE orphan_report
   SET next_try_at = now()
 WHERE gateway = $1
   AND wake_id = ANY($2::text[])
   AND kind = 'report'
   AND status IS NOT NULL;
