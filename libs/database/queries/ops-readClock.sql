SELECT clock_timestamp() AS at;
