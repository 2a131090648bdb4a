SELECT v.id, v.account_id AS "accountId", v.config_id AS "configId", v.recipient, v.country, v.is_test AS "isTest",
       v.expires_at AS "expiresAt", vc.code_length AS "codeLength", vc.alphabet, vc.ttl_seconds AS "ttlSeconds",
       vc.flow, vc.stop_on AS "stopOn", vc.template, vc.sender, vc.text, vc.web_otp_domain AS "webOtpDomain",
       vc.android_hash AS "androidHash", vc.test_numbers AS "testNumbers"
  FROM verification v
  JOIN verification_config vc ON vc.id = v.config_id
 WHERE v.id = ANY($1::uuid[])
   AND v.status = 'WAITING'
   AND v.expires_at > now();
