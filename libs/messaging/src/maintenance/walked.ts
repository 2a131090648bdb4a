import type { EntityManager } from 'typeorm';
import type { Sweep } from './duty.ts';

/**
 * Makes a sweep of a whole table, one stretch per batch. A pass that ends before the table does is resumed by the next
 * one.
 *
 * @param start where the first stretch begins
 * @param sweep sweeps the stretch that begins at `from`, and says where the next one begins; null at the end
 */
export function walked<P>(
  start: P,
  sweep: (db: EntityManager, from: P) => Promise<{ next: P | null }>,
): Sweep['sweep'] {
  let from = start;
  return async ({ db }) => {
    const { next } = await sweep(db, from);
    from = next ?? start;
    return next === null ? 0 : 1;
  };
}
