import type { EntityManager } from 'typeorm';

/** The part of a pool of pg that its use is read from. */
interface Pool {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
  options: { max: number };
}

/** Returns how a pool is used now; a closed one has no connections. */
export function poolUse(db: EntityManager): { used: number; open: number; waiting: number; max: number } {
  const { master } = db.connection.driver as unknown as { master?: Pool };
  if (!master) return { used: 0, open: 0, waiting: 0, max: 0 };
  const { totalCount: open, idleCount, waitingCount: waiting, options } = master;
  return { used: open - idleCount, open, waiting, max: options.max };
}
