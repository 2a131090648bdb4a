import type { EntityManager } from 'typeorm';
import { noteHeartbeat } from '../core/settling.ts';

/** A worker that was silent for this long counts as dead: others take over its share of every limit. */
const SILENT_SECONDS = 3;

/**
 * Records that a worker is alive, and deletes the workers of its fleet that have been silent for SILENT_SECONDS by the
 * database's clock.
 *
 * @param fleet workers that share their limits, such as all dlr-workers
 * @param noteTime takes the time by the database's clock
 * @returns the ids of the live workers, including this one
 */
export async function beat(
  db: EntityManager,
  fleet: string,
  id: string,
  noteTime: (at: Date) => void = () => undefined,
): Promise<string[]> {
  const living: { id: string; at: Date }[] = await db.query(
    `WITH dead AS (
       DELETE FROM live_worker
        WHERE (fleet, id) IN (
          SELECT fleet, id
            FROM live_worker
           WHERE fleet = $1
             AND id <> $2
             AND seen_at < now() - interval '${SILENT_SECONDS} seconds'
             FOR UPDATE SKIP LOCKED
        )
     ), me AS (
       INSERT INTO live_worker (fleet, id, seen_at)
       VALUES ($1, $2, now())
       ON CONFLICT ON CONSTRAINT live_worker_pkey DO UPDATE
          SET seen_at = now()
     )
     SELECT $2::uuid AS id, clock_timestamp() AS at
      UNION ALL
     SELECT id, clock_timestamp()
       FROM live_worker
      WHERE fleet = $1
        AND id <> $2
        AND seen_at >= now() - interval '${SILENT_SECONDS} seconds'`,
    [fleet, id],
  );
  const { at } = living[0]!;
  noteHeartbeat(db, at);
  noteTime(at);
  return living.map((worker) => worker.id);
}

/** Deregisters a worker, so that the others take over its share immediately. */
export async function leave(db: EntityManager, fleet: string, id: string): Promise<void> {
  await db.query(`DELETE FROM live_worker WHERE fleet = $1 AND id = $2`, [fleet, id]);
}
