DELETE FROM gateway_state WHERE worker_id = $1;
