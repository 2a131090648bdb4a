SELECT pg_advisory_xact_lock(hashtextextended('account names', 0));

INSERT INTO account (id, name, sms_per_second, limits)
SELECT $1, $2, $3, $4
 WHERE NOT EXISTS (SELECT FROM account WHERE name = $2)
RETURNING id;
