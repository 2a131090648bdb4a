SELECT
 WHERE NOT EXISTS (SELECT FROM submission WHERE id >= $2::uuid AND id < $3::uuid)
   AND NOT EXISTS (SELECT FROM message_event WHERE id >= $2::uuid AND id < $3::uuid)
   AND NOT EXISTS (SELECT FROM message_stat_minute WHERE at = $1::timestamptz);
