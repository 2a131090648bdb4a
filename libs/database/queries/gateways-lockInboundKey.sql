SELECT pg_advisory_xact_lock(hashtextextended('inbound ' || $1::text, 0));
