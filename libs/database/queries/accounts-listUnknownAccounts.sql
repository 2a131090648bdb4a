SELECT id
  FROM unnest($1::uuid[]) AS given(id)
 WHERE NOT EXISTS (SELECT FROM account a WHERE a.id = given.id);
