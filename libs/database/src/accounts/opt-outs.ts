import type { AnyLane } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { isOptedOut } from '../submissions/endings.ts';

/** A recipient who wants no messages of an account, or of one of its senders. */
export interface OptOut {
  id: string;
  recipient: string;
  /** Empty for all senders of the account. */
  sender: string;
  source: string;
  reason: string | null;
  createdAt: Date;
}

const COLUMNS = 'id, recipient, sender, source, reason, created_at AS "createdAt"';

const OPT_OUTS = rowset(
  'given',
  {
    recipient: 'text',
    sender: 'text',
    id: 'uuid',
    source: 'text',
    reason: 'text',
    created_at: 'timestamptz',
  },
  2,
);

/** In the order of the key, so that two processes with the same recipients never deadlock. */
const UPSERT = sql`
  INSERT INTO opt_out (account_id, ${OPT_OUTS.columns})
  SELECT $1, given.*
    FROM ${OPT_OUTS.from}
   ORDER BY recipient, sender
  ON CONFLICT ON CONSTRAINT opt_out_pkey DO UPDATE
     SET id = EXCLUDED.id, source = EXCLUDED.source, reason = EXCLUDED.reason, created_at = EXCLUDED.created_at`;

/** Stores opt-outs, each recipient once. An opt-out that exists is renewed under its new id. */
export async function upsertOptOuts(db: EntityManager, accountId: string, optOuts: OptOut[]): Promise<void> {
  await db.query(UPSERT, [accountId, ...OPT_OUTS.values(optOuts)]);
}

/** Finds one opt-out of an account. */
export async function findOptOut(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<OptOut | undefined> {
  const [row]: OptOut[] = await db.query(`SELECT ${COLUMNS} FROM opt_out WHERE account_id = $1 AND id = $2`, [
    accountId,
    id,
  ]);
  return row;
}

/** Lists a page of an account's opt-outs, or of those of one recipient, newest first, before the id `before`. */
export function listOptOuts(
  db: EntityManager,
  accountId: string,
  limit: number,
  before?: string,
  recipient?: string,
): Promise<OptOut[]> {
  return db.query(
    `SELECT ${COLUMNS}
       FROM opt_out
      WHERE account_id = $1
        AND ($3::uuid IS NULL OR id < $3)
        AND ($4::text IS NULL OR recipient = $4)
      ORDER BY id DESC
      LIMIT $2`,
    [accountId, limit, before ?? null, recipient ?? null],
  );
}

/** Deletes an opt-out; false when the account has none of this id. */
export async function deleteOptOut(db: EntityManager, accountId: string, id: string): Promise<boolean> {
  return (
    (await countChanged(db, `DELETE FROM opt_out WHERE account_id = $1 AND id = $2`, [accountId, id])) > 0
  );
}

const WOULD_REFUSE = sql`
  SELECT ${isOptedOut('call', 'call.recipient')} AS refused
    FROM (
      SELECT $1::uuid AS account_id, $2::text AS lane, $3::text AS sender, $4::text AS recipient
    ) AS call`;

/** True when a send to one recipient would be refused because of an opt-out. */
export async function wouldRefuse(
  db: EntityManager,
  accountId: string,
  lane: AnyLane,
  sender: string,
  recipient: string,
): Promise<boolean> {
  const [row]: { refused: boolean }[] = await db.query(WOULD_REFUSE, [accountId, lane, sender, recipient]);
  return row?.refused ?? false;
}
