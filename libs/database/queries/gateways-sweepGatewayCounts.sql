DELETE FROM gateway_minute WHERE minute < now() - interval '1 hour';
