SELECT now() - interval '1 second' AS at;
