UPDATE orphan_report o
   SET next_try_at = now()
  FROM unnest($2::text[], $3::text[])
         AS given(gateway_message_id, recipient)
 WHERE o.gateway = $1
   AND o.wake_id = given.gateway_message_id
   AND COALESCE(right(o.recipient, 7), '') = ANY(ARRAY[right(given.recipient, 7), ''])
   AND o.kind = 'report'
   AND o.status IS NOT NULL;
