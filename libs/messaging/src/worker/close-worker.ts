import { setTimeout as delay } from 'node:timers/promises';
import { answersWithin } from '@signalbox/runtime/with-timeout';
import type { Worker } from 'bullmq';
import { activityOf } from './run-logged.ts';

const LOOK_EVERY_MS = 200;
const ANSWER_TIMEOUT_MS = 1_000;

/**
 * Closes a worker once its jobs have ended. BullMQ would wait for ever for an unreachable queue: this waits for the
 * running jobs only, and then drops the connections.
 *
 * @param ask rejects while the queue is unreachable
 */
export async function closeWorker(worker: Worker, ask: () => Promise<unknown>): Promise<void> {
  const closing = worker.close().then(() => true);
  while (!(await Promise.race([closing, delay(LOOK_EVERY_MS, false)]))) {
    if (activityOf(worker.name).running > 0 || (await answersWithin(ask(), ANSWER_TIMEOUT_MS))) continue;
    worker.close = () => Promise.resolve(); // Nest closes it again, and would wait
    await worker.getBackend().close(true);
    return;
  }
}
