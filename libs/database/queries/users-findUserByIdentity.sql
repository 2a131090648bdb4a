SELECT id
  FROM app_user
 WHERE identity_issuer = $1
   AND identity_subject = $2;
