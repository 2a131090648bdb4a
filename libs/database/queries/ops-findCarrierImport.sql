SELECT id FROM carrier_import ORDER BY id DESC LIMIT 1;
