UPDATE message_event
   SET starts = starts + 1
 WHERE id IN (
   SELECT id
     FROM message_event
    WHERE settled_at IS NULL AND NOT is_code
      AND starts < 10
          AND received_at < now() - make_interval(
                secs => CASE starts WHEN 0 THEN $2::integer ELSE 10 * 2 ^ starts END
              )
          AND received_at < $1::timestamptz - make_interval(secs => 10)
    ORDER BY id
    LIMIT 5000
      FOR UPDATE SKIP LOCKED
 )
RETURNING id;

UPDATE message_event
   SET starts = starts + 1
 WHERE id IN (
   SELECT id
     FROM message_event
    WHERE settled_at IS NULL AND is_code
      AND starts < 10
          AND received_at < now() - make_interval(
                secs => CASE starts WHEN 0 THEN $2::integer ELSE 10 * 2 ^ starts END
              )
          AND received_at < $1::timestamptz - make_interval(secs => 10)
    ORDER BY id
    LIMIT 5000
      FOR UPDATE SKIP LOCKED
 )
RETURNING id;
