DELETE FROM live_worker WHERE fleet = $1 AND id = $2;
