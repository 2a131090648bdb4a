SELECT pg_advisory_xact_lock(hashtextextended('routing', 0));
