SELECT extract(
epoch FROM date_trunc($1, now() AT TIME ZONE 'UTC') + ('1 ' || $1)::interval - now() AT TIME ZONE 'UTC'
)::float8 AS seconds;
