SELECT id, sms_per_second AS "perSecond"
  FROM account
 WHERE sms_per_second IS NOT NULL;
