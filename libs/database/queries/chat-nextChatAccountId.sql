SELECT nextval(pg_get_serial_sequence('chat_account', 'id'))::float8 AS id;
