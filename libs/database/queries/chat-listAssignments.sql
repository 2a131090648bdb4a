SELECT sa.msisdn, sa.account_id AS "accountId", a.name AS account, sa.assigned_by AS "assignedBy",
       sa.assigned_at AS "assignedAt", sa.quarantined_until AS "quarantinedUntil",
       EXISTS (SELECT FROM chat_sender cs WHERE cs.msisdn = sa.msisdn) AS "inUse"
  FROM sender_assignment sa
  JOIN account a ON a.id = sa.account_id
 WHERE ($1::uuid IS NULL OR sa.account_id = $1)
   AND ($2::text IS NULL OR sa.msisdn = $2)
   AND ($4::text IS NULL OR sa.msisdn > $4)
 ORDER BY sa.msisdn
 LIMIT $3;
