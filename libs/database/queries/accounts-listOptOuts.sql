SELECT id, recipient, sender, source, reason, created_at AS "createdAt"
  FROM opt_out
 WHERE account_id = $1
   AND ($3::uuid IS NULL OR id < $3)
   AND ($4::text IS NULL OR recipient = $4)
 ORDER BY id DESC
 LIMIT $2;
