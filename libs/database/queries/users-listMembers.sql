SELECT u.id, u.email, u.name, CASE WHEN u.is_operator THEN 'operator' ELSE ua.role END AS role,
                u.password_hash IS NOT NULL AS "hasPassword", u.sealed_totp IS NOT NULL AS "hasTotp",
                COALESCE(u.disabled_at, ua.disabled_at) AS "disabledAt", u.signed_in_at AS "signedInAt",
                COALESCE(ua.created_at, u.created_at) AS "createdAt"
  FROM (
    SELECT user_id AS id FROM user_account WHERE account_id = $1
    UNION
    SELECT id FROM app_user WHERE is_operator AND $2
  ) AS listed
  JOIN app_user u ON u.id = listed.id
  LEFT JOIN user_account ua ON ua.account_id = $1 AND ua.user_id = u.id
 WHERE $4::uuid IS NULL OR u.id < $4
 ORDER BY u.id DESC
 LIMIT $3;
