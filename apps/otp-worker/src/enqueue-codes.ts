import type { NewSubmission } from '@signalbox/database/submissions/submissions';
import { countAccepted } from '@signalbox/messaging/telemetry/message-metrics';
import { LANE_QUEUES } from '@signalbox/queues/definitions';
import type { Queues } from '@signalbox/queues/open-queues';

/** Counts and enqueues stored submissions of codes. */
export function enqueueCodes(queues: Queues, submissions: readonly NewSubmission[]): void {
  for (const { lane, id } of submissions) {
    countAccepted(lane, 1);
    queues.get(LANE_QUEUES[lane]).enqueue([id]);
  }
}
