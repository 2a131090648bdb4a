SELECT given.place
  FROM unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
              $7::text[])
         AS given(place, gateway, gateway_template_id, provider_status, reason, quality,
                  category)
  LEFT JOIN template_registration r
    ON r.gateway = given.gateway
   AND r.gateway_template_id = given.gateway_template_id
   AND r.deleted_at IS NULL
  LEFT JOIN template t ON t.id = r.template_id
 WHERE CASE
         WHEN r.template_id IS NOT NULL THEN
           given.provider_status IS DISTINCT FROM r.status
           OR given.reason IS DISTINCT FROM r.reason
           OR given.quality <> COALESCE(r.quality, '')
           OR given.category <> t.category
           OR given.category = r.coming_category
         ELSE EXISTS (
           SELECT
             FROM template_registration unknown
            WHERE unknown.gateway = given.gateway
              AND unknown.gateway_template_id IS NULL
              AND unknown.attempted_version > 0
              AND unknown.deleted_at IS NULL
         )
       END
 ORDER BY given.place;
