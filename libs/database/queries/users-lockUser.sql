SELECT id, email, name, is_operator AS "isOperator", password_hash AS "passwordHash", sealed_totp AS "sealedTotp",
                sealed_new_totp AS "sealedNewTotp", cardinality(recovery_hashes) AS "recoveryCodes",
                identity_issuer AS "identityIssuer", identity_subject AS "identitySubject"
  FROM app_user
 WHERE id = $1
   AND disabled_at IS NULL
 FOR NO KEY UPDATE;
