SET LOCAL lock_timeout = '100ms';

SELECT set_config('signalbox.id_days', $1::text, true);


DO $drop$
DECLARE
old regclass;
BEGIN
FOR old IN
SELECT c.oid
  FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid
 WHERE i.inhparent = 'gateway_message_id'::regclass
   AND c.relname ~ '_[0-9]{8}$'
   AND to_date(right(c.relname, 8), 'YYYYMMDD')
       < (now() AT TIME ZONE 'UTC')::date - current_setting('signalbox.id_days')::integer
 ORDER BY c.relname
LOOP
EXECUTE format('DROP TABLE %s', old);
END LOOP;
END $drop$;

DELETE FROM gateway_message_id_default
 WHERE ctid = ANY(ARRAY(
   SELECT ctid
     FROM gateway_message_id_default
    WHERE day < (now() AT TIME ZONE 'UTC')::date - $1::integer
    LIMIT 10000
 ));
