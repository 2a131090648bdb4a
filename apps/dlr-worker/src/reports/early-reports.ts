import type { Lane } from '@signalbox/domain/lane';
import { reportQueueOf } from '@signalbox/queues/definitions';
import type { Queues } from '@signalbox/queues/open-queues';

/**
 * Delays until an early report is applied again. Most reports overtake one another by milliseconds; a status that its
 * gateway never reports must not cost many attempts.
 */
const DELAYS_MS = [100, 400, 1_600] as const;

/** A report that arrived before the status that it follows. */
export interface EarlyReport {
  reportId: string;
  lane: Lane | null;
  ageMs: number;
}

/** Enqueues early reports again: new ones soon, older ones later. */
export function enqueueEarly(queues: Queues, early: readonly EarlyReport[]): void {
  const delayOf = (ageMs: number): number => DELAYS_MS.find((delay) => ageMs < delay) ?? DELAYS_MS[2];
  const jobs = Map.groupBy(early, ({ lane, ageMs }) => `${reportQueueOf(lane).name} ${delayOf(ageMs)}`);
  for (const reports of jobs.values()) {
    const [{ lane, ageMs }] = reports as [EarlyReport];
    const ids = reports.map(({ reportId }) => reportId);
    queues.get(reportQueueOf(lane)).enqueueJobs(ids, {}, { delayMs: delayOf(ageMs) });
  }
}
