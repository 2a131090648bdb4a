UPDATE inbound_segment
   SET closed_at = now()
 WHERE set_id = ANY($1::uuid[])
   AND closed_at IS NULL;
