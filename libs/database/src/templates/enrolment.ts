import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { SERVED } from './gateway-numbers.ts';

const ENROL_LIMIT = 500;

const ENROL = sql`
  WITH served AS MATERIALIZED (
    SELECT DISTINCT cs.chat_account_id, g.name AS gateway, g.settings ->> 'businessAccountId' AS business_account_id
      FROM ${SERVED}
  ), chat_account AS MATERIALIZED (
    SELECT chat_account_id, array_agg(gateway ORDER BY registered_with) AS gateways,
           array_agg(business_account_id ORDER BY registered_with) AS business_account_ids,
           array_agg(registered_with ORDER BY registered_with) AS registered_withs
      FROM (
        SELECT *, concat(gateway, ' ', business_account_id) COLLATE "C" AS registered_with
          FROM served
      ) AS served
     GROUP BY chat_account_id
  ), found AS MATERIALIZED (
    SELECT t.id, ca.gateways, ca.business_account_ids
      FROM chat_account ca
      -- the ranges between the registrations that are right; ~ follows every name of a gateway
     CROSS JOIN LATERAL unnest(ARRAY[''] || registered_withs, registered_withs || ARRAY['~']) AS other(after, before)
     CROSS JOIN LATERAL (
       SELECT id
         FROM template
        WHERE chat_account_id = ca.chat_account_id
          AND registered_with > other.after
          AND registered_with < other.before
          AND deleted_at IS NULL
        LIMIT ${ENROL_LIMIT}
     ) AS t
     LIMIT ${ENROL_LIMIT}
  ), missing AS MATERIALIZED (
    -- with a gateway of the business account that it is registered with, if there is one
    SELECT found.id, (array_agg(served.gateway ORDER BY is_other, served.gateway))[1] AS gateway,
           (array_agg(served.business_account_id ORDER BY is_other, served.gateway))[1] AS business_account_id
      FROM found
      LEFT JOIN template_registration r ON r.template_id = found.id
     CROSS JOIN LATERAL unnest(gateways, business_account_ids) AS served(gateway, business_account_id)
     CROSS JOIN LATERAL (
       SELECT COALESCE(r.business_account_id = served.business_account_id, r.gateway = served.gateway)
              IS NOT TRUE AS is_other
     ) AS compared
     GROUP BY found.id
     ORDER BY found.id
  ), kept AS MATERIALIZED (
    SELECT r.template_id, missing.gateway, missing.business_account_id
      FROM missing
      JOIN template_registration r ON r.template_id = missing.id
     -- an earlier version stored no business account
     WHERE COALESCE(r.business_account_id = missing.business_account_id, r.gateway = missing.gateway)
     ORDER BY r.template_id
       FOR UPDATE OF r
  ), moved AS (
    -- its provider has it, whichever gateway asks
    UPDATE template_registration r
       SET gateway = kept.gateway, business_account_id = kept.business_account_id, due_at = now()
      FROM kept
     WHERE r.template_id = kept.template_id
  ), enrolled AS (
    INSERT INTO template_registration AS r (template_id, gateway, business_account_id)
    SELECT id, gateway, business_account_id
      FROM missing
     WHERE id NOT IN (SELECT template_id FROM kept)
    ON CONFLICT ON CONSTRAINT template_registration_pkey DO UPDATE
       SET gateway = EXCLUDED.gateway, business_account_id = EXCLUDED.business_account_id, reserved_name = NULL,
           gateway_template_id = NULL, version = 0, attempted_version = 0, status = NULL, reason = NULL,
           status_at = NULL, quality = NULL, coming_category = NULL, problem = NULL, starts = 0, due_at = now()
     -- a worker that enrolled it at the same time may have registered it since
     WHERE r.gateway <> EXCLUDED.gateway
        OR r.business_account_id <> EXCLUDED.business_account_id
    RETURNING template_id
  ), reopened AS (
    -- a version that only Signalbox approved is not known to the provider, so it cannot be sent
    UPDATE template t
       SET status = 'PENDING', approved_version = NULL, submitted_at = now(), updated_at = now()
      FROM enrolled
     WHERE t.id = enrolled.template_id
       AND t.approved_version IS NOT NULL
    RETURNING t.id
  )
  SELECT (SELECT count(*) FROM enrolled)::integer AS enrolled,
         (SELECT count(*) FROM reopened)::integer AS reopened`;

/**
 * Enrols templates that a gateway serves and that have no registration with its business account, a bounded number per
 * call. Those that have one with it through a gateway that serves them no longer are moved as they are.
 */
export async function enrolTemplates(db: EntityManager): Promise<{ enrolled: number; reopened: number }> {
  const [row]: { enrolled: number; reopened: number }[] = await db.query(ENROL);
  return row!;
}
