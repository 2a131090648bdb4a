WITH account AS (
  UPDATE account
     SET paused_at = CASE WHEN $2 THEN COALESCE(paused_at, now()) END
   WHERE id = $1
  RETURNING id
), sender AS (
  UPDATE chat_sender cs
     SET paced_until = CASE WHEN $2 THEN 'infinity' ELSE now() END
    FROM account
   WHERE cs.account_id = account.id
     AND (cs.paced_until = 'infinity') <> $2
)
SELECT EXISTS (SELECT FROM account) AS found;
