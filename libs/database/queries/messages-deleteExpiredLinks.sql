DELETE FROM short_link
 WHERE code IN (
   SELECT code
     FROM short_link
    WHERE expires_at < now()
    ORDER BY expires_at
    LIMIT 10000
 );
