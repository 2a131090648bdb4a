INSERT INTO verification_conversion AS vv (account_id, dimension, value, hour, flagged, blocked)
SELECT account_id, dimension, value, date_trunc('hour', now(), 'UTC'),
       count(*) FILTER (WHERE action = 'flagged'), count(*) FILTER (WHERE action = 'blocked')
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
         AS given(account_id, dimension, value, action)
 GROUP BY account_id, dimension, value
 ORDER BY account_id, dimension, value
ON CONFLICT ON CONSTRAINT verification_conversion_pkey DO UPDATE
   SET flagged = vv.flagged + EXCLUDED.flagged, blocked = vv.blocked + EXCLUDED.blocked;
