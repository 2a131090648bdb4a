SELECT name FROM migration ORDER BY timestamp, name;
