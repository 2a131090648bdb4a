WITH owner AS (
  SELECT id, account_id
    FROM chat_account
   WHERE id = $1
     AND account_id = $2
     AND deleted_at IS NULL
     FOR SHARE
), stored AS (
  -- a sender of a paused account is paused with it
  INSERT INTO chat_sender (msisdn, chat_account_id, account_id, messages_per_second, created_at, paced_until)
  SELECT $3, id, account_id, $4::smallint, $5::timestamptz,
         (SELECT CASE WHEN a.paused_at IS NULL THEN 'epoch' ELSE 'infinity' END::timestamptz
            FROM account a
           WHERE a.id = owner.account_id)
    FROM owner
  ON CONFLICT DO NOTHING
  RETURNING msisdn, account_id
), kept AS (
  UPDATE sender_assignment sa
     SET quarantined_until = NULL
    FROM stored
   WHERE sa.msisdn = stored.msisdn
     AND sa.account_id = stored.account_id
     AND COALESCE(sa.quarantined_until > now(), true)
  RETURNING sa.msisdn
), claimed AS (
  -- it sees rows of other transactions that ended after this statement began
  INSERT INTO sender_assignment AS sa (msisdn, account_id, assigned_by)
  SELECT msisdn, account_id, 'account'
    FROM stored
   WHERE $6::boolean
     AND NOT EXISTS (SELECT FROM kept)
  ON CONFLICT ON CONSTRAINT sender_assignment_pkey DO UPDATE
     SET account_id = EXCLUDED.account_id, assigned_at = now(), quarantined_until = NULL
   WHERE sa.account_id = EXCLUDED.account_id
      OR sa.quarantined_until <= now()
  RETURNING msisdn
)
SELECT EXISTS (SELECT FROM owner) AS found,
       EXISTS (SELECT FROM kept) OR EXISTS (SELECT FROM claimed) AS stored;
