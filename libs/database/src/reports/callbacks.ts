import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { firstIdAtSql } from '../ops/retention.ts';

const KEPT = "interval '7 days'";
const SWEEP_LIMIT = 10_000;

/** A callback of a gateway, as it arrived. */
export interface StoredCallback {
  id: string;
  gateway: string;
  body: Buffer;
}

const CALLBACKS = rowset('given', { id: 'uuid', gateway: 'text', body: 'bytea' });

const INSERT = sql`
  INSERT INTO callback (${CALLBACKS.columns})
  SELECT *
    FROM ${CALLBACKS.from}`;

/** Stores callbacks unread. Nothing is checked here, so none is ever dropped. */
export async function insertCallbacks(db: EntityManager, callbacks: StoredCallback[]): Promise<void> {
  await db.query(INSERT, CALLBACKS.values(callbacks));
}

/**
 * Locks the unprocessed callbacks among `ids` until the end of the transaction and returns them in the order of `ids`.
 * Skips locked ones. A job that runs twice finds the rest.
 */
export function lockCallbacks(db: EntityManager, ids: string[]): Promise<StoredCallback[]> {
  return db.query(
    `SELECT c.id, c.gateway, c.body
       FROM unnest($1::uuid[]) WITH ORDINALITY AS named(id, place)
       JOIN callback c ON c.id = named.id
      WHERE c.processed_at IS NULL
      ORDER BY named.place
        FOR UPDATE OF c SKIP LOCKED`,
    [ids],
  );
}

/** A processed callback, and the part of it that could not be used; null when all of it was. */
export interface ProcessedCallback {
  id: string;
  problem: string | null;
}

const PROCESSED = rowset('given', { id: 'uuid', problem: 'text' });

const MARK = sql`
  UPDATE callback c
     SET processed_at = now(), problem = given.problem
    FROM ${PROCESSED.from}
   WHERE c.id = given.id`;

/** Marks callbacks as processed. */
export async function markCallbacksProcessed(
  db: EntityManager,
  processed: ProcessedCallback[],
): Promise<void> {
  await db.query(MARK, PROCESSED.values(processed));
}

/** Deletes processed callbacks that are older than a week, a bounded number per call; returns their number. */
export function sweepCallbacks(db: EntityManager): Promise<number> {
  return countChanged(
    db,
    `DELETE FROM callback
      WHERE id IN (
        SELECT id
          FROM callback
         WHERE id < ${firstIdAtSql(`now() - ${KEPT}`)}
           AND processed_at IS NOT NULL
         ORDER BY id
         LIMIT ${SWEEP_LIMIT}
      )`,
  );
}
