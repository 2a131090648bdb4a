SELECT gateway, kind, count(*)::integer AS count
  FROM orphan_report
 GROUP BY gateway, kind;
