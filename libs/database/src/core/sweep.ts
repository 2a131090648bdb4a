import type { EntityManager } from 'typeorm';
import { countChanged } from './returning.ts';
import { sql } from './sql.ts';

/** Maximum rows that a sweep deletes at a time. */
const SWEEP_LIMIT = 10_000;

/** The rows that a sweep deletes. */
interface SweptRows {
  table: string;
  /** Columns of the primary key, as `account_id, path, key`. */
  key: string;
  /** Begins with WHERE. */
  where: string;
  /** The index column by which they are found. */
  orderBy: string;
}

/**
 * Makes a function that deletes rows, a bounded number per call, and returns their number. It leaves locked ones to its
 * next call, so that it waits for nobody who locks rows in another order.
 */
export function sweepOf({ table, key, where, orderBy }: SweptRows): (db: EntityManager) => Promise<number> {
  const statement = sql`
    DELETE FROM ${table}
     WHERE (${key}) IN (
       SELECT ${key}
         FROM ${table}
        ${where}
        ORDER BY ${orderBy}
        LIMIT ${SWEEP_LIMIT}
          FOR UPDATE SKIP LOCKED
     )`;
  return function sweep(db) {
    return countChanged(db, statement);
  };
}
