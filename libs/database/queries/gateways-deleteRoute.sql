DELETE FROM route WHERE id = $1;
