DELETE FROM bind_slot WHERE holder = $1;
