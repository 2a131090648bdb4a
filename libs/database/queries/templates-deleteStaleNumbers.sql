DELETE FROM gateway_number gn
 WHERE NOT EXISTS (SELECT FROM gateway g WHERE g.name = gn.gateway AND g.kind = 'cloud-api');
