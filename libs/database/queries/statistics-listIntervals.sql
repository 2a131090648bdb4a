SELECT DISTINCT date_trunc($4, at, $3) AS at
  FROM generate_series(
         date_trunc($4, $1::timestamptz, $3),
         $2::timestamptz - interval '1 microsecond' + ('1 ' || $4)::interval,
         LEAST(('1 ' || $4)::interval, interval '30 minutes')
       ) AS at
 ORDER BY at;

SELECT (midnight - interval '1 microsecond') AT TIME ZONE $3 + interval '1 microsecond' AS at
  FROM generate_series(
         date_trunc('day', $1::timestamptz AT TIME ZONE $3),
         ($2::timestamptz - interval '1 microsecond') AT TIME ZONE $3 + interval '1 day',
         interval '1 day'
       ) AS midnight
 ORDER BY midnight;
