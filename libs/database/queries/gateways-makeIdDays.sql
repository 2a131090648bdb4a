SET LOCAL lock_timeout = '100ms';


DO $make$
<<make>>
DECLARE
day date;
BEGIN
FOR day IN
SELECT (now() AT TIME ZONE 'UTC')::date + ahead FROM generate_series(0, 3) AS ahead
LOOP
CONTINUE WHEN to_regclass('gateway_message_id_' || to_char(day, 'YYYYMMDD')) IS NOT NULL
           OR EXISTS (SELECT FROM gateway_message_id_default x WHERE x.day = make.day);
EXECUTE format(
  'CREATE TABLE %I PARTITION OF gateway_message_id FOR VALUES FROM (%L) TO (%L)',
  'gateway_message_id_' || to_char(day, 'YYYYMMDD'), day, day + 1
);
END LOOP;
END $make$;
