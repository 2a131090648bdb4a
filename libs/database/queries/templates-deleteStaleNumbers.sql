DELETE FROM gateway_number
 WHERE (gateway, msisdn) IN (
   SELECT gn.gateway, gn.msisdn
     FROM gateway_number gn
    WHERE NOT EXISTS (SELECT FROM gateway g WHERE g.name = gn.gateway AND g.kind = 'cloud-api')
    ORDER BY gn.gateway, gn.msisdn
      FOR UPDATE
 );
