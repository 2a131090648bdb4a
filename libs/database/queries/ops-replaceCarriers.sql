SAVEPOINT typeorm_1;

SET LOCAL statement_timeout = 0;

LOCK TABLE carrier_import IN EXCLUSIVE MODE;

INSERT INTO carrier_prefix (import_id, prefix, carrier, circle)
SELECT $1, entry.*
  FROM unnest($2::text[], $3::text[], $4::text[])
         AS entry(prefix, carrier, circle);

DELETE FROM carrier_prefix WHERE import_id <> $1;

INSERT INTO carrier_import (id, source, entries) VALUES ($1, $2, $3);

RELEASE SAVEPOINT typeorm_1;
