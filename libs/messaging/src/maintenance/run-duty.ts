import { withAdvisoryLock } from '@signalbox/database/ops/advisory-lock';
import type { Duty, DutyContext, Sweep } from './duty.ts';

/** Maximum time of one pass of a sweep; the next pass does the rest. */
const SWEEP_MS = 20_000;

/** Maximum pause after a batch. */
const MAX_PAUSE_MS = 1_000;

/**
 * Does one pass of a duty.
 *
 * @param isStopped true ends a sweep after its current batch
 * @returns false when it found nothing to do
 * @throws what the duty throws
 */
export function runDuty(
  duty: Duty,
  context: DutyContext,
  isStopped: () => boolean = () => false,
): Promise<unknown> {
  return 'sweep' in duty ? runSweep(duty, context, isStopped) : locked(duty, context, duty.run);
}

async function runSweep(duty: Sweep, context: DutyContext, isStopped: () => boolean): Promise<boolean> {
  const endAt = performance.now() + SWEEP_MS;
  let count = 0;
  let batch = 0;
  do {
    const startedAt = performance.now();
    batch = (await locked(duty, context, duty.sweep)) ?? 0;
    count += batch;
    if (batch > 0 && duty.pauseFactor) await pause(duty.pauseFactor * (performance.now() - startedAt));
  } while (batch > 0 && performance.now() < endAt && !isStopped());
  if (count > 0 && duty.logEvent) context.logger.info({ duty: duty.name, count }, duty.logEvent);
  return count > 0;
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.min(ms, MAX_PAUSE_MS)));

/** Returns undefined when another process holds the lock. */
async function locked<R>(
  { lock }: Duty,
  context: DutyContext,
  pass: (context: DutyContext) => Promise<R>,
): Promise<R | undefined> {
  if (lock === undefined) return pass(context);
  return withAdvisoryLock(context.db, lock, (db) => pass({ ...context, db }));
}
