import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { sweepOf } from '../core/sweep.ts';

/**
 * Ends of opt-outs: when a recipient last said START, or an opt-out was deleted, by the source of the end. A STOP from
 * before may be processed later: gateways repeat their callbacks for days.
 */

/** Keeps the latest end of each key. Completes an INSERT into `opt_out_end` AS `e`. */
export const KEEP_LATEST_END = sql`
  ON CONFLICT ON CONSTRAINT opt_out_end_pkey DO UPDATE
     SET ended_at = EXCLUDED.ended_at
   WHERE e.ended_at < EXCLUDED.ended_at`;

/**
 * True when a STOP is from before the end of the opt-outs of its key. An end of the source `gateway` is one of opt-outs
 * of that source only.
 *
 * @param stop the name of a row with account_id, recipient, sender, source and at
 */
export function isEnded(stop: string): string {
  return sql`
  EXISTS (
    SELECT
      FROM opt_out_end e
     WHERE e.account_id = ${stop}.account_id
       AND e.recipient = ${stop}.recipient
       AND e.sender = ${stop}.sender
       AND e.ended_at >= ${stop}.at
       AND (e.source <> 'gateway' OR ${stop}.source = 'gateway')
  )`;
}

/** A person and the number that the person writes to. */
export interface WriterKey {
  recipient: string;
  sender: string;
}

const LOCK = sql`
  SELECT pg_advisory_xact_lock(writer.key)
    FROM (
      SELECT DISTINCT hashtextextended('consent ' || text, 0) AS key
        FROM unnest($1::text[]) AS given(text)
       ORDER BY key
    ) AS writer`;

/**
 * Runs a statement that applies what people wrote about opt-outs, in a transaction that no other one about the same
 * people overlaps: a START would not see the opt-out, nor a STOP the end, that another one has not committed yet.
 * Without a writer it is run as it is.
 */
export function withWritersLocked<R>(
  db: EntityManager,
  writers: readonly WriterKey[],
  apply: (db: EntityManager) => Promise<R>,
): Promise<R> {
  if (writers.length === 0) return apply(db);
  return db.transaction(async (transaction) => {
    const keys = writers.map(({ recipient, sender }) => JSON.stringify([sender, recipient]));
    await transaction.query(LOCK, [keys]);
    return apply(transaction);
  });
}

/** Deletes ends older than 30 days, a bounded number per call. Returns that number. */
export const sweepOptOutEnds = sweepOf({
  table: 'opt_out_end',
  key: 'account_id, recipient, sender, source',
  where: `WHERE ended_at < now() - interval '30 days'`,
  orderBy: 'ended_at',
});
