DELETE FROM queue_minute WHERE minute < now() - interval '1 day';
