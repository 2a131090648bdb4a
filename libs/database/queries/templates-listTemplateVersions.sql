SELECT tv.template_id AS id, tv.version, tv.category, tv.components,
       tv.allow_category_change AS "allowCategoryChange", tv.code_expiration_minutes AS "codeExpirationMinutes"
  FROM unnest($1::uuid[], $2::integer[])
         AS wanted(id, version)
  JOIN template_version tv ON tv.template_id = wanted.id AND tv.version = wanted.version;
