WITH gone AS (
  DELETE FROM chat_sender
   WHERE msisdn = $1
     AND chat_account_id = $2
     AND account_id = $3
  RETURNING msisdn, account_id
), quarantined AS (
  INSERT INTO sender_assignment AS sa (msisdn, account_id, assigned_by, quarantined_until)
  SELECT msisdn, account_id, 'account', now() + interval '90 days'
    FROM gone
   ORDER BY msisdn
  ON CONFLICT ON CONSTRAINT sender_assignment_pkey DO UPDATE
     SET quarantined_until = EXCLUDED.quarantined_until
   WHERE sa.account_id = EXCLUDED.account_id
     AND sa.assigned_by = 'account'
)
SELECT msisdn FROM gone;
