INSERT INTO callback (id, gateway, body)
SELECT *
  FROM unnest($1::uuid[], $2::text[], $3::bytea[])
         AS given(id, gateway, body);
