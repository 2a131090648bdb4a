DO $make$
<<make>>
DECLARE
  monday date;
  week text;
  first_id uuid;
  end_id uuid;
  options text;
BEGIN
  SET LOCAL lock_timeout = '5s';
  LOCK TABLE push IN SHARE UPDATE EXCLUSIVE MODE;
  FOR monday IN
    SELECT date_trunc('week', now() AT TIME ZONE 'UTC')::date + 7 * ahead
      FROM generate_series(0, 5) AS ahead
     UNION
    SELECT date_trunc('week', uuid_extract_timestamp(report_id) AT TIME ZONE 'UTC')::date
      FROM (SELECT report_id FROM push_default LIMIT 100000) AS unplaced
     WHERE uuid_extract_timestamp(report_id) IS NOT NULL
     ORDER BY 1
  LOOP
    week := 'push_' || to_char(monday, 'YYYYMMDD');
    first_id := rpad(
                  lpad(to_hex(extract(epoch FROM monday::timestamp)::bigint * 1000), 12, '0'), 32, '0'
                )::uuid;
    end_id := rpad(
                lpad(to_hex(extract(epoch FROM (monday + 7)::timestamp)::bigint * 1000), 12, '0'), 32, '0'
              )::uuid;
    CONTINUE WHEN to_regclass(week) IS NOT NULL OR EXISTS (
      SELECT
        FROM (
          SELECT c.relname AS name,
                 c.relname ~ '_until_[0-9]{8}$' AS is_oldest,
                 CASE WHEN c.relname ~ '_[0-9]{8}$' THEN to_date(right(c.relname, 8), 'YYYYMMDD') END AS day
            FROM pg_inherits i
            JOIN pg_class c ON c.oid = i.inhrelid
           WHERE i.inhparent = 'push'::regclass
        ) AS partition
       WHERE is_oldest
         AND day > monday
    ) OR 50000 < (
      SELECT count(*)
        FROM (
          SELECT
            FROM push_default
           WHERE report_id >= first_id AND report_id < end_id
           LIMIT 50001
        ) AS unplaced
    );
    SELECT ' WITH (' || array_to_string(reloptions, ', ') || ')'
      INTO options
      FROM pg_class
     WHERE oid = 'push_default'::regclass;
    EXECUTE format('CREATE TABLE %I (LIKE push INCLUDING ALL)', week) || COALESCE(options, '');
    SET LOCAL lock_timeout = '100ms';
    LOCK TABLE push_default IN ACCESS EXCLUSIVE MODE;
    EXECUTE format(
      'WITH moved AS (
         DELETE FROM push_default WHERE report_id >= $1 AND report_id < $2 RETURNING *
       )
       INSERT INTO %I SELECT * FROM moved', week
    ) USING first_id, end_id;
    EXECUTE format(
      'ALTER TABLE push ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', week, first_id, end_id
    );
  END LOOP;
END $make$;

DO $make$
<<make>>
DECLARE
  monday date;
  week text;
  first_id uuid;
  end_id uuid;
  options text;
BEGIN
  SET LOCAL lock_timeout = '5s';
  LOCK TABLE routing_event IN SHARE UPDATE EXCLUSIVE MODE;
  FOR monday IN
    SELECT date_trunc('week', now() AT TIME ZONE 'UTC')::date + 7 * ahead
      FROM generate_series(0, 5) AS ahead
     UNION
    SELECT date_trunc('week', uuid_extract_timestamp(id) AT TIME ZONE 'UTC')::date
      FROM (SELECT id FROM routing_event_default LIMIT 100000) AS unplaced
     WHERE uuid_extract_timestamp(id) IS NOT NULL
     ORDER BY 1
  LOOP
    week := 'routing_event_' || to_char(monday, 'YYYYMMDD');
    first_id := rpad(
                  lpad(to_hex(extract(epoch FROM monday::timestamp)::bigint * 1000), 12, '0'), 32, '0'
                )::uuid;
    end_id := rpad(
                lpad(to_hex(extract(epoch FROM (monday + 7)::timestamp)::bigint * 1000), 12, '0'), 32, '0'
              )::uuid;
    CONTINUE WHEN to_regclass(week) IS NOT NULL OR EXISTS (
      SELECT
        FROM (
          SELECT c.relname AS name,
                 c.relname ~ '_until_[0-9]{8}$' AS is_oldest,
                 CASE WHEN c.relname ~ '_[0-9]{8}$' THEN to_date(right(c.relname, 8), 'YYYYMMDD') END AS day
            FROM pg_inherits i
            JOIN pg_class c ON c.oid = i.inhrelid
           WHERE i.inhparent = 'routing_event'::regclass
        ) AS partition
       WHERE is_oldest
         AND day > monday
    ) OR 50000 < (
      SELECT count(*)
        FROM (
          SELECT
            FROM routing_event_default
           WHERE id >= first_id AND id < end_id
           LIMIT 50001
        ) AS unplaced
    );
    SELECT ' WITH (' || array_to_string(reloptions, ', ') || ')'
      INTO options
      FROM pg_class
     WHERE oid = 'routing_event_default'::regclass;
    EXECUTE format('CREATE TABLE %I (LIKE routing_event INCLUDING ALL)', week) || COALESCE(options, '');
    SET LOCAL lock_timeout = '100ms';
    LOCK TABLE routing_event_default IN ACCESS EXCLUSIVE MODE;
    EXECUTE format(
      'WITH moved AS (
         DELETE FROM routing_event_default WHERE id >= $1 AND id < $2 RETURNING *
       )
       INSERT INTO %I SELECT * FROM moved', week
    ) USING first_id, end_id;
    EXECUTE format(
      'ALTER TABLE routing_event ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', week, first_id, end_id
    );
  END LOOP;
END $make$;
