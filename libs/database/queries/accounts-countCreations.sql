SELECT count(*)
  FROM webhook
 WHERE account_id = $1
   AND id >= (
   lpad(
     to_hex((
       extract(epoch FROM now() - interval '1 day') * 1000
     )::bigint), 12, '0'
   ) || '70008000000000000000'
 )::uuid;

SELECT count(*)
  FROM chat_account
 WHERE account_id = $1
   AND created_at >= now() - interval '1 day';

SELECT count(*)
  FROM template
 WHERE account_id = $1
   AND id >= (
   lpad(
     to_hex((
       extract(epoch FROM now() - interval '1 day') * 1000
     )::bigint), 12, '0'
   ) || '70008000000000000000'
 )::uuid;

SELECT count(*)
  FROM verification_config
 WHERE account_id = $1
   AND id >= (
   lpad(
     to_hex((
       extract(epoch FROM now() - interval '1 day') * 1000
     )::bigint), 12, '0'
   ) || '70008000000000000000'
 )::uuid;

SELECT count(*)
  FROM api_key
 WHERE account_id = $1
   AND id >= (
   lpad(
     to_hex((
       extract(epoch FROM now() - interval '1 day') * 1000
     )::bigint), 12, '0'
   ) || '70008000000000000000'
 )::uuid;
