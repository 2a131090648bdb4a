UPDATE app_user
   SET recovery_hashes = array_remove(recovery_hashes, $2::bytea)
 WHERE id = $1
   AND $2::bytea = ANY(recovery_hashes);
