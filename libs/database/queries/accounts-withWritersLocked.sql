SAVEPOINT typeorm_1;

SELECT pg_advisory_xact_lock(writer.key)
  FROM (
    SELECT DISTINCT hashtextextended('consent ' || text, 0) AS key
      FROM unnest($1::text[]) AS given(text)
     ORDER BY key
  ) AS writer;

RELEASE SAVEPOINT typeorm_1;
