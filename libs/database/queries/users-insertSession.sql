WITH signed_in AS (
  UPDATE app_user SET signed_in_at = now() WHERE id = $3
), ended AS (
  DELETE FROM user_session
   WHERE id IN (
     SELECT id
       FROM user_session
      WHERE user_id = $3
      ORDER BY user_id DESC, id DESC
     OFFSET 99
   )
)
INSERT INTO user_session (id, hash, user_id, account_id, address, user_agent)
VALUES ($1, $2, $3, $4, $5, $6);
