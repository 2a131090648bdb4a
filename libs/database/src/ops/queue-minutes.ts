import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/** Runs of jobs since the last call, and the jobs of a queue now. */
export interface QueueSample {
  queue: string;
  completed: number;
  failed: number;
  /** Null while the queue is unreachable. */
  waiting: number | null;
  active: number | null;
  delayed: number | null;
}

/** One minute of a queue: the runs within it, and the most jobs that were seen in each state. */
export interface QueueMinute {
  minute: Date;
  completed: number;
  failed: number;
  waiting: number | null;
  active: number | null;
  delayed: number | null;
}

const SAMPLES = rowset('sample', {
  queue: 'text',
  completed: 'integer',
  failed: 'integer',
  waiting: 'integer',
  active: 'integer',
  delayed: 'integer',
});

const ADD = sql`
  INSERT INTO queue_minute AS q (minute, queue, completed, failed, waiting, active, delayed)
  SELECT date_trunc('minute', now()), queue, completed, failed, waiting, active, delayed
    FROM ${SAMPLES.from}
   ORDER BY queue
  ON CONFLICT ON CONSTRAINT queue_minute_pkey DO UPDATE
     SET completed = q.completed + EXCLUDED.completed,
         failed = q.failed + EXCLUDED.failed,
         waiting = GREATEST(q.waiting, EXCLUDED.waiting),
         active = GREATEST(q.active, EXCLUDED.active),
         delayed = GREATEST(q.delayed, EXCLUDED.delayed)`;

/** Adds samples to the current minute of their queues. Several processes may sample one queue. */
export async function addQueueSamples(db: EntityManager, samples: readonly QueueSample[]): Promise<void> {
  await db.query(ADD, SAMPLES.values(samples));
}

/** Lists the minutes of a queue within the last `hours`, the oldest first. A minute without a row had no worker. */
export function listQueueMinutes(db: EntityManager, queue: string, hours: number): Promise<QueueMinute[]> {
  return db.query(
    `SELECT minute, completed, failed, waiting, active, delayed
       FROM queue_minute
      WHERE queue = $1
        AND minute > now() - make_interval(hours => $2)
      ORDER BY minute`,
    [queue, hours],
  );
}

/** Runs of a queue's jobs per minute. */
export interface QueueRate {
  queue: string;
  completed: number;
  failed: number;
}

/** Returns the runs per minute of each queue, over the last five full minutes. */
export function listQueueRates(db: EntityManager): Promise<QueueRate[]> {
  return db.query(
    `SELECT queue, sum(completed)::float8 / 5 AS completed, sum(failed)::float8 / 5 AS failed
       FROM queue_minute
      WHERE minute >= date_trunc('minute', now()) - interval '5 minutes'
        AND minute < date_trunc('minute', now())
      GROUP BY queue`,
  );
}

/** Deletes minutes older than a day. Returns their number. */
export function sweepQueueMinutes(db: EntityManager): Promise<number> {
  return countChanged(db, `DELETE FROM queue_minute WHERE minute < now() - interval '1 day'`);
}
