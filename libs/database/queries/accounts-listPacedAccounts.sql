SELECT id, CASE WHEN paused_at IS NULL THEN sms_per_second ELSE 0 END AS "perSecond"
  FROM account
 WHERE sms_per_second IS NOT NULL
    OR paused_at IS NOT NULL;
