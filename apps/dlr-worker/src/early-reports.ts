import { REPORT_QUEUE } from '@signalbox/queues/definitions';
import type { Queues } from '@signalbox/queues/open-queues';

/**
 * Delays until an early report is applied again. Most reports overtake one another by milliseconds; a status that its gateway never
 * reports must not cost many attempts.
 */
const DELAYS_MS = [100, 400, 1_600] as const;

/** A report that arrived before the status that it follows. */
export interface EarlyReport {
  reportId: string;
  ageMs: number;
}

/** Enqueues early reports again: new ones soon, older ones later. */
export function enqueueEarly(queues: Queues, early: readonly EarlyReport[]): void {
  const byDelay = Map.groupBy(early, ({ ageMs }) => DELAYS_MS.find((delay) => ageMs < delay) ?? DELAYS_MS[2]);
  for (const [delayMs, reports] of byDelay) {
    const ids = reports.map(({ reportId }) => reportId);
    queues.get(REPORT_QUEUE).enqueueJobs(ids, {}, { delayMs });
  }
}
