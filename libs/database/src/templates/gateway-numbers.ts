import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/** Serves `FROM`: the gateways that serve numbers of a chat account `cs.chat_account_id`. */
export const SERVED = sql`
  gateway_number gn
  JOIN gateway g ON g.name = gn.gateway AND g.kind = 'cloud-api' AND g.enabled
  JOIN chat_sender cs ON cs.msisdn = gn.msisdn`;

/** True when a provider reviews a template of the table, or alias, `t`. */
export const isRegisteredElsewhere = (t = 't'): string => sql`
  EXISTS (
    SELECT
      FROM ${SERVED}
     WHERE cs.account_id = ${t}.account_id
       AND cs.chat_account_id = ${t}.chat_account_id
  )`;

const NUMBERS = rowset('given', { msisdn: 'text', provider_id: 'text' }, 2);

const UPSERT_NUMBERS = sql`
  WITH locked AS MATERIALIZED (
    -- in the order of their keys, before the two steps that change them
    SELECT msisdn
      FROM gateway_number
     WHERE gateway = $1
     ORDER BY msisdn
       FOR UPDATE
  ), gone AS (
    DELETE FROM gateway_number
     WHERE gateway = $1
       AND msisdn IN (SELECT msisdn FROM locked)
       AND msisdn <> ALL ($2::text[])
  )
  INSERT INTO gateway_number (gateway, msisdn, provider_id)
  SELECT DISTINCT ON (given.msisdn) $1, given.msisdn, given.provider_id
    FROM ${NUMBERS.from}
   WHERE (SELECT count(*) FROM locked) >= 0
   ORDER BY given.msisdn
  ON CONFLICT ON CONSTRAINT gateway_number_pkey DO UPDATE
     SET provider_id = EXCLUDED.provider_id, seen_at = now()`;

/** Replaces the numbers that a gateway serves: deletes those that are not given. */
export async function upsertGatewayNumbers(
  db: EntityManager,
  gateway: string,
  numbers: { msisdn: string; providerId: string }[],
): Promise<void> {
  await db.query(UPSERT_NUMBERS, [gateway, ...NUMBERS.values(numbers)]);
}

/** Deletes the numbers of gateways that are no longer there. */
export async function deleteStaleNumbers(db: EntityManager): Promise<void> {
  await db.query(
    `DELETE FROM gateway_number
      WHERE (gateway, msisdn) IN (
        SELECT gn.gateway, gn.msisdn
          FROM gateway_number gn
         WHERE NOT EXISTS (SELECT FROM gateway g WHERE g.name = gn.gateway AND g.kind = 'cloud-api')
         ORDER BY gn.gateway, gn.msisdn
           FOR UPDATE
      )`,
  );
}
