SELECT pg_advisory_xact_lock(hashtextextended('account names', 0));
