import type { EntityManager } from 'typeorm';
import { firstIdAtSql } from '../ops/retention.ts';

const KEPT = "interval '7 days'";
const SWEPT_AT_ONCE = 10_000;

/** What a provider called back with, as it came. */
export interface StoredCallback {
  id: string;
  gateway: string;
  body: Buffer;
}

/** Stores callbacks as they came; nothing is judged here, so none is ever dropped. */
export async function insertCallbacks(db: EntityManager, callbacks: StoredCallback[]): Promise<void> {
  await db.query(
    `INSERT INTO callback (id, gateway, body) SELECT * FROM unnest($1::uuid[], $2::text[], $3::bytea[])`,
    [callbacks.map((c) => c.id), callbacks.map((c) => c.gateway), callbacks.map((c) => c.body)],
  );
}

/**
 * Those of `ids`, in their order, that nobody has processed and nobody else is at; they are this transaction's until its end. A job that runs
 * twice finds the rest.
 */
export function lockCallbacks(db: EntityManager, ids: string[]): Promise<StoredCallback[]> {
  return db.query(
    `SELECT c.id, c.gateway, c.body FROM unnest($1::uuid[]) WITH ORDINALITY AS named(id, place) JOIN callback c ON c.id = named.id
      WHERE c.processed_at IS NULL ORDER BY named.place FOR UPDATE OF c SKIP LOCKED`,
    [ids],
  );
}

/** A callback that is done with, and what of it could not be used; null when all of it was. */
export interface ProcessedCallback {
  id: string;
  problem: string | null;
}

/** Marks callbacks as processed. */
export async function markCallbacksProcessed(db: EntityManager, settled: ProcessedCallback[]): Promise<void> {
  await db.query(
    `UPDATE callback c SET processed_at = now(), problem = s.problem
       FROM unnest($1::uuid[], $2::text[]) AS s(id, problem) WHERE c.id = s.id`,
    [settled.map((s) => s.id), settled.map((s) => s.problem)],
  );
}

/** Forgets callbacks that were processed and are older than a week, a bounded number at a time; how many went. */
export async function sweepCallbacks(db: EntityManager): Promise<number> {
  const [, count] = (await db.query(
    `DELETE FROM callback WHERE id IN (
       SELECT id FROM callback WHERE id < ${firstIdAtSql(`now() - ${KEPT}`)} AND processed_at IS NOT NULL ORDER BY id LIMIT ${SWEPT_AT_ONCE})`,
  )) as [unknown, number];
  return count;
}
