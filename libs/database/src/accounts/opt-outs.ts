import type { AnyLane } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';
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

/** Stores opt-outs, each recipient once; one that is there already is renewed, under its new id. */
export async function upsertOptOuts(db: EntityManager, accountId: string, optOuts: OptOut[]): Promise<void> {
  await db.query(
    `INSERT INTO opt_out (account_id, recipient, sender, id, source, reason, created_at)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::timestamptz[])
     ON CONFLICT ON CONSTRAINT opt_out_pkey
     DO UPDATE SET id = EXCLUDED.id, source = EXCLUDED.source, reason = EXCLUDED.reason, created_at = EXCLUDED.created_at`,
    [
      accountId,
      optOuts.map((o) => o.recipient),
      optOuts.map((o) => o.sender),
      optOuts.map((o) => o.id),
      optOuts.map((o) => o.source),
      optOuts.map((o) => o.reason),
      optOuts.map((o) => o.createdAt.toISOString()),
    ],
  );
}

/** One opt-out of an account; undefined when there is none, whoever else may have it. */
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

/** A page of an account's opt-outs, newest first, from just before the id `before`; those of one recipient if told. */
export function listOptOuts(
  db: EntityManager,
  accountId: string,
  limit: number,
  before?: string,
  recipient?: string,
): Promise<OptOut[]> {
  return db.query(
    `SELECT ${COLUMNS} FROM opt_out
      WHERE account_id = $1 AND ($3::uuid IS NULL OR id < $3) AND ($4::text IS NULL OR recipient = $4) ORDER BY id DESC LIMIT $2`,
    [accountId, limit, before ?? null, recipient ?? null],
  );
}

/** Takes an opt-out back; false when the account has none of this id. */
export async function deleteOptOut(db: EntityManager, accountId: string, id: string): Promise<boolean> {
  const [, count] = (await db.query(`DELETE FROM opt_out WHERE account_id = $1 AND id = $2`, [
    accountId,
    id,
  ])) as [unknown, number];
  return count > 0;
}

/** Whether a send to one recipient would be refused because of an opt-out. */
export async function wouldRefuse(
  db: EntityManager,
  accountId: string,
  lane: AnyLane,
  sender: string,
  recipient: string,
): Promise<boolean> {
  const [row]: { refused: boolean }[] = await db.query(
    `SELECT ${isOptedOut('call', 'call.recipient')} AS refused
       FROM (SELECT $1::uuid AS account_id, $2::text AS lane, $3::text AS sender, $4::text AS recipient) AS call`,
    [accountId, lane, sender, recipient],
  );
  return row?.refused ?? false;
}
