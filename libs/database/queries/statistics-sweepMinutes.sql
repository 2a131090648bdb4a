WITH old AS (
  SELECT minute
    FROM message_stat_build
   WHERE minute < $1::timestamptz
     AND due_at IS NULL
     AND minute < (SELECT max(minute) FROM message_stat_build) -- the next minutes follow the newest
   ORDER BY minute
   LIMIT 1 -- it may have a row for each of thousands of accounts
), found_gone AS (
  DELETE FROM message_stat_found f
   USING old
   WHERE f.minute = old.minute
), counts_gone AS (
  DELETE FROM message_stat_minute
   USING old
   WHERE at = old.minute
)
DELETE FROM message_stat_build b
 USING old
 WHERE b.minute = old.minute
RETURNING b.minute;
