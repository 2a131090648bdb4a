SAVEPOINT typeorm_1;

SELECT pg_try_advisory_xact_lock(hashtext('signalbox rescue'), hashtext($1)) AS taken;

RELEASE SAVEPOINT typeorm_1;
