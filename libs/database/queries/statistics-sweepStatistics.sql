DELETE FROM message_stat_quarter stat
 USING (
   SELECT oldest.place
     FROM account a,
          LATERAL (
            SELECT ctid AS place
              FROM message_stat_quarter
             WHERE account_id = a.id
               AND at < $1::timestamptz
             LIMIT 10000
          ) AS oldest
    LIMIT 10000
 ) AS old
 WHERE stat.ctid = old.place
RETURNING 1;

DELETE FROM message_stat_day stat
 USING (
   SELECT oldest.place
     FROM account a,
          LATERAL (
            SELECT ctid AS place
              FROM message_stat_day
             WHERE account_id = a.id
               AND at < $1::timestamptz
             LIMIT 10000
          ) AS oldest
    LIMIT 10000
 ) AS old
 WHERE stat.ctid = old.place
RETURNING 1;
