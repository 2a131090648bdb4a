UPDATE endpoint
   SET failures = 0, failing_since = NULL, window_from = now(), window_calls = 0, window_failures = 0,
       open_level = 0, open_until = NULL
 WHERE webhook_id = $1;
