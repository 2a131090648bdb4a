SELECT DISTINCT 'DELIVERED' = ANY(statuses) AS "withDelivered"
  FROM push_replay
 WHERE status = 'RUNNING';
