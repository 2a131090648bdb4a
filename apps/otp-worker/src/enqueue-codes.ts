import type { NewSubmission } from '@signalbox/database/submissions/submissions';
import { countAccepted } from '@signalbox/messaging/telemetry/message-metrics';
import { CHAT_QUEUES, SMS_QUEUES } from '@signalbox/queues/definitions';
import type { Queues } from '@signalbox/queues/open-queues';

/** The lane for codes of each channel. */
const LANES = { sms: SMS_QUEUES.OTP, chatapp: CHAT_QUEUES.CHAT_OTP };

/** Counts and enqueues stored submissions of codes. */
export function enqueueCodes(queues: Queues, submissions: readonly NewSubmission[]): void {
  for (const { channel, lane, id } of submissions) {
    countAccepted(lane, 1);
    queues.get(LANES[channel]).enqueue([id]);
  }
}
