UPDATE submission s
   SET sealed = NULL
 WHERE s.id = ANY($1::uuid[])
   AND s.sealed IS NOT NULL
   AND s.fanned_out_at IS NOT NULL
   AND NOT EXISTS (SELECT FROM message m WHERE m.submission_id = s.id AND m.status = 'PENDING');
