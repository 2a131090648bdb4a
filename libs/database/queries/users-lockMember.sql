SELECT 1
  FROM account
 WHERE id = ANY($1)
 ORDER BY id
   FOR NO KEY UPDATE;

SELECT u.id, u.email, u.name, CASE WHEN u.is_operator THEN 'operator' ELSE ua.role END AS role,
                u.password_hash IS NOT NULL AS "hasPassword", u.sealed_totp IS NOT NULL AS "hasTotp",
                COALESCE(u.disabled_at, ua.disabled_at) AS "disabledAt", u.signed_in_at AS "signedInAt",
                COALESCE(ua.created_at, u.created_at) AS "createdAt"
  FROM app_user u
  LEFT JOIN user_account ua ON ua.account_id = $1 AND ua.user_id = u.id
 WHERE u.id = $2
   AND (ua.user_id IS NOT NULL OR (u.is_operator AND $3))
   FOR UPDATE OF u;
