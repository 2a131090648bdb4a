SELECT at
  FROM generate_series(
         date_trunc($3, $1::timestamptz, $4),
         $2::timestamptz - interval '1 microsecond',
         ('1 ' || $3)::interval,
         $4
       ) AS at;
