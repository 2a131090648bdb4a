UPDATE app_user
   SET identity_issuer = $2, identity_subject = $3
 WHERE id = $1
   AND identity_subject IS NULL;
