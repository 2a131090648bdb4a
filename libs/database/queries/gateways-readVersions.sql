SELECT (SELECT COALESCE(string_agg(id || ' ' || version, ',' ORDER BY id), '') FROM gateway) AS gateways,
(SELECT COALESCE(string_agg(id || ' ' || version, ',' ORDER BY id), '') FROM route) AS routes;
