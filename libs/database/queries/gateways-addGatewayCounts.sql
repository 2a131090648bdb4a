INSERT INTO gateway_minute AS gm (gateway, minute, accepted, refused, delivered, failed)
SELECT given.gateway, date_trunc('minute', now()), given.accepted, given.refused, given.delivered, given.failed
  FROM unnest($1::text[], $2::integer[], $3::integer[], $4::integer[], $5::integer[])
         AS given(gateway, accepted, refused, delivered, failed)
  JOIN gateway g ON g.name = given.gateway
 ORDER BY given.gateway
ON CONFLICT ON CONSTRAINT gateway_minute_pkey DO UPDATE
   SET accepted = gm.accepted + EXCLUDED.accepted,
       refused = gm.refused + EXCLUDED.refused,
       delivered = gm.delivered + EXCLUDED.delivered,
       failed = gm.failed + EXCLUDED.failed;
