SELECT count(*)::integer AS refused
  FROM (
    SELECT $1::uuid AS account_id, $2::text AS lane, $3::text AS sender, given.recipient
      FROM unnest($4::text[]) AS given(recipient)
  ) AS call
 WHERE (call.lane NOT IN ('OTP', 'CHAT_OTP') AND (
         SELECT o.sender
           FROM opt_out o
          WHERE o.account_id = call.account_id
            AND o.recipient = call.recipient
            AND CASE WHEN o.sender IN ('', call.sender) THEN true END
          ORDER BY o.sender
          LIMIT 1
       ) IS NOT NULL);
