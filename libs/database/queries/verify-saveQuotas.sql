UPDATE verification_quota vq
   SET uses = given.uses
  FROM unnest($1::uuid[], $2::text[], $3::jsonb[])
         AS given(account_id, quota, uses)
 WHERE vq.account_id = given.account_id
   AND vq.quota = given.quota;
