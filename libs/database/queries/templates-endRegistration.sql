UPDATE template_registration SET deleted_at = now(), problem = NULL WHERE template_id = $1;
