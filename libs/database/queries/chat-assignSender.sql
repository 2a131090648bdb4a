INSERT INTO sender_assignment AS sa (msisdn, account_id, assigned_by)
SELECT $2, $1::uuid, 'operator'
 WHERE NOT EXISTS (
   SELECT
     FROM chat_sender cs
    WHERE cs.msisdn = $2
      AND cs.account_id <> $1
 )
ON CONFLICT ON CONSTRAINT sender_assignment_pkey DO UPDATE
   SET account_id = EXCLUDED.account_id, assigned_by = 'operator', assigned_at = now(), quarantined_until = NULL
 WHERE sa.account_id = EXCLUDED.account_id
    OR sa.quarantined_until <= now()
RETURNING msisdn;
