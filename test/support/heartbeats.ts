import { noteHeartbeat } from '@signalbox/database/core/settling';
import type { EntityManager } from 'typeorm';

/** Notes heartbeats of the last 20 seconds, of which the last came some time ago by the database's clock. */
export async function noteSteadyHeartbeats(db: EntityManager, { lateByMs = 0 } = {}): Promise<void> {
  const [{ at }]: [{ at: Date }] = await db.query('SELECT clock_timestamp() AS at');
  for (let agoMs = 20_000; agoMs >= 0; agoMs -= 1_000)
    noteHeartbeat(db, new Date(at.getTime() - agoMs - lateByMs), performance.now() - agoMs);
}
