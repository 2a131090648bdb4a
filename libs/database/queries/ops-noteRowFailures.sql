INSERT INTO row_failure (kind, id, error)
SELECT $1, wanted.id, $3
  FROM unnest($2::uuid[]) AS wanted(id)
 ORDER BY wanted.id
ON CONFLICT ON CONSTRAINT row_failure_pkey DO UPDATE
   SET error = EXCLUDED.error, failed_at = now();
