import type { Lane } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';
import { identitiesOf } from '../chat/chat-identities.ts';
import { countChanged } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { KEEP_LATEST_END } from './opt-out-ends.ts';
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
  SELECT DISTINCT ON (identity.recipient, given.sender)
         $1::uuid, identity.recipient, given.sender,
         CASE WHEN identity.recipient = given.recipient THEN given.id ELSE uuidv7() END,
         given.source, given.reason, given.created_at
    FROM ${OPT_OUTS.from}
   CROSS JOIN LATERAL (
     ${identitiesOf('$1::uuid', 'given.recipient')}
   ) AS identity
   ORDER BY identity.recipient, given.sender, identity.recipient = given.recipient DESC
  ON CONFLICT ON CONSTRAINT opt_out_pkey DO UPDATE
     SET id = EXCLUDED.id, source = EXCLUDED.source, reason = EXCLUDED.reason, created_at = EXCLUDED.created_at`;

/**
 * Stores opt-outs, each recipient once, and the same for the recipient's other identities in a chat app. An opt-out
 * that exists is renewed under its new id.
 */
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

const DELETE = sql`
  WITH gone AS MATERIALIZED (
    SELECT named.account_id, identity.recipient, named.sender
      FROM opt_out named
     CROSS JOIN LATERAL (
       ${identitiesOf('named.account_id', 'named.recipient')}
     ) AS identity
     WHERE named.account_id = $1
       AND named.id = $2
     ORDER BY identity.recipient
  ), ended AS (
    INSERT INTO opt_out_end AS e (account_id, recipient, sender, source, ended_at)
    SELECT account_id, recipient, sender, 'api', now()
      FROM gone
    ${KEEP_LATEST_END}
    RETURNING 1
  )
  DELETE FROM opt_out o
   USING gone
   WHERE (SELECT count(*) FROM ended) >= 0
     AND o.account_id = gone.account_id
     AND o.recipient = gone.recipient
     AND o.sender = gone.sender`;

/**
 * Deletes an opt-out; false when the account has none of this id. The opt-outs of the recipient's other identities in a
 * chat app go with it: the next inbound message would restore it from them. A STOP from before does not opt out again.
 */
export async function deleteOptOut(db: EntityManager, accountId: string, id: string): Promise<boolean> {
  return (await countChanged(db, DELETE, [accountId, id])) > 0;
}

const COUNT_REFUSED = sql`
  SELECT count(*)::integer AS refused
    FROM (
      SELECT $1::uuid AS account_id, $2::text AS lane, $3::text AS sender, given.recipient
        FROM unnest($4::text[]) AS given(recipient)
    ) AS call
   WHERE ${isOptedOut('call', 'call.recipient')}`;

/** Counts the recipients of a send who would get no message because of an opt-out. */
export async function countRefused(
  db: EntityManager,
  accountId: string,
  lane: Lane,
  sender: string,
  recipients: readonly string[],
): Promise<number> {
  const [row]: { refused: number }[] = await db.query(COUNT_REFUSED, [accountId, lane, sender, recipients]);
  return row!.refused;
}
