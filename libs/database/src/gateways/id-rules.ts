import type { IdForm } from '@signalbox/domain/routing/id-forms';
import type { IdEvidence } from '@signalbox/domain/routing/id-rule';
import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/** A form that a gateway's ids need, as learned from its reports. */
export interface IdRule {
  gateway: string;
  form: IdForm;
  hits: number;
  learnedAt: Date;
}

/** Lists the rules in force: at most one for each gateway. */
export function listIdRules(db: EntityManager): Promise<IdRule[]> {
  return db.query(
    `SELECT gateway, form, hits, learned_at AS "learnedAt"
       FROM gateway_id_rule
      WHERE learned_at IS NOT NULL`,
  );
}

/** Locks the evidence about a gateway until the end of the transaction, also when there is none yet. */
export async function lockIdEvidence(db: EntityManager, gateway: string): Promise<IdEvidence[]> {
  await db.query(`SELECT pg_advisory_xact_lock(hashtextextended('id rule ' || $1::text, 0))`, [gateway]);
  return db.query(
    `SELECT form, hits, learned_at IS NOT NULL AS "isRule", revoked_at IS NOT NULL AS "isRevoked"
       FROM gateway_id_rule
      WHERE gateway = $1
      ORDER BY form`,
    [gateway],
  );
}

const EVIDENCE = rowset('given', { form: 'text', hits: 'integer', is_rule: 'boolean' }, 2);

/**
 * Deletes the evidence except that of the rule, so that no former rule is left when the next statement stores another.
 */
const FORGET = `
  DELETE FROM gateway_id_rule
   WHERE gateway = $1
     AND revoked_at IS NULL
     AND form <> ALL($2::text[])`;

const STORE = sql`
  INSERT INTO gateway_id_rule AS r (gateway, form, hits, learned_at)
  SELECT $1, given.form, given.hits, CASE WHEN given.is_rule THEN now() END
    FROM ${EVIDENCE.from}
   ORDER BY given.form
  ON CONFLICT ON CONSTRAINT gateway_id_rule_pkey DO UPDATE
     SET hits = EXCLUDED.hits,
         learned_at = CASE WHEN EXCLUDED.learned_at IS NOT NULL THEN COALESCE(r.learned_at, EXCLUDED.learned_at) END`;

/** Stores the evidence about a gateway, which the caller has locked. */
export async function storeIdEvidence(
  db: EntityManager,
  gateway: string,
  evidence: readonly IdEvidence[],
): Promise<void> {
  const kept = evidence.filter(({ hits }) => hits > 0);
  await db.query(FORGET, [gateway, kept.filter(({ isRule }) => isRule).map(({ form }) => form)]);
  await db.query(STORE, [gateway, ...EVIDENCE.values(kept)]);
}

/** Revokes the rule of a gateway: its form is never learned again. @returns undefined when it has none */
export async function revokeIdRule(db: EntityManager, gateway: string): Promise<IdForm | undefined> {
  const [row] = await returning<{ form: IdForm }>(
    db,
    `UPDATE gateway_id_rule
        SET learned_at = NULL, revoked_at = now()
      WHERE gateway = $1
        AND learned_at IS NOT NULL
     RETURNING form`,
    [gateway],
  );
  return row?.form;
}
