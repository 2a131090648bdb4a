SELECT current_setting('server_version') AS version,
pg_postmaster_start_time() AS "startedAt",
pg_database_size(current_database())::float8 AS "sizeBytes",
(SELECT count(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
current_setting('max_connections')::integer AS "maxConnections",
(SELECT extract(epoch FROM now() - min(xact_start))::integer
  FROM pg_stat_activity
 WHERE backend_type = 'client backend'
   AND pid <> pg_backend_pid()) AS "oldestTransactionSeconds",
pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS "isReadOnly";
