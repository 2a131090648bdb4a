WITH gone AS MATERIALIZED (
  SELECT named.account_id, identity.recipient, named.sender
    FROM opt_out named
   CROSS JOIN LATERAL (
     SELECT named.recipient AS recipient
      UNION
     SELECT unnest(ARRAY[same.msisdn, same.user_id])
       FROM chat_user known
       JOIN chat_user same ON same.account_id = known.account_id AND same.msisdn = known.msisdn
      WHERE known.account_id = named.account_id
        AND (known.user_id = named.recipient OR known.msisdn = named.recipient)
   ) AS identity
   WHERE named.account_id = $1
     AND named.id = $2
   ORDER BY identity.recipient
), ended AS (
  INSERT INTO opt_out_end AS e (account_id, recipient, sender, source, ended_at)
  SELECT account_id, recipient, sender, 'api', now()
    FROM gone
  ON CONFLICT ON CONSTRAINT opt_out_end_pkey DO UPDATE
     SET ended_at = EXCLUDED.ended_at
   WHERE e.ended_at < EXCLUDED.ended_at
  RETURNING 1
)
DELETE FROM opt_out o
 USING gone
 WHERE (SELECT count(*) FROM ended) >= 0
   AND o.account_id = gone.account_id
   AND o.recipient = gone.recipient
   AND o.sender = gone.sender;
