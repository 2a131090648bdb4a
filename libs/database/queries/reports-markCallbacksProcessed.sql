UPDATE callback c
   SET processed_at = now(), problem = given.problem
  FROM unnest($1::uuid[], $2::text[])
         AS given(id, problem)
 WHERE c.id = given.id;
