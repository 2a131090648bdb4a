import { type Lane, CODE_LANES, type ChatLane, type SmsLane } from '@signalbox/domain/lane';
import { FAN_OUT_CHUNK } from '@signalbox/domain/limits';
import { type QueueDefinition, type RowKind, defineQueue } from './define-queue.ts';

/**
 * A job of a lane names submissions to fan out and submit. With `isRetry` they are fanned out already, and their
 * pending messages are submitted again. With `isChunk` their first recipients are fanned out already, and the next
 * chunk follows.
 */
export interface LaneJob {
  isRetry?: true;
  isChunk?: true;
}

/** One step of a simulated chat-app conversation; its ids are message ids. */
export interface ChatSimulatorJob {
  script: string;
  step: number;
}

/**
 * Submissions, one queue per lane, so that a promotion of any size never delays a code. A row weighs its recipients.
 */
export const SMS_QUEUES = {
  OTP: defineQueue<LaneJob>('sms-otp', { rows: 'send', maxWeight: FAN_OUT_CHUNK, isUrgent: true }),
  TRANS: defineQueue<LaneJob>('sms-trans', { rows: 'send', maxWeight: FAN_OUT_CHUNK }),
  PROMO: defineQueue<LaneJob>('sms-promo', { rows: 'send', maxWeight: FAN_OUT_CHUNK }),
} as const satisfies Record<SmsLane, QueueDefinition<LaneJob>>;

/** Submissions of chat-app messages, one queue per lane. */
export const CHAT_QUEUES = {
  CHAT_OTP: defineQueue<LaneJob>('chatapp-otp', { rows: 'send', maxWeight: FAN_OUT_CHUNK, isUrgent: true }),
  CHAT: defineQueue<LaneJob>('chatapp', { rows: 'send', maxWeight: FAN_OUT_CHUNK, wakesRounds: true }),
} as const satisfies Record<ChatLane, QueueDefinition<LaneJob>>;

/** The queue of each lane, on any channel. */
export const LANE_QUEUES: Readonly<Record<Lane, QueueDefinition<LaneJob>>> = {
  ...SMS_QUEUES,
  ...CHAT_QUEUES,
};

/** Verifications whose code is to be generated and sent. */
export const OTP_QUEUE = defineQueue('otp', { rows: 'verification', maxWeight: 200, isUrgent: true });

/**
 * Delivery reports to apply and push, in three queues. OTP has those about codes, so that a promotion never delays the
 * fallback of a code. BULK has those that gateways make about the 101st message of a send and later ones, so that they
 * never delay single messages. OTHER has all else, also what Signalbox itself reports about such later messages.
 */
export const REPORT_QUEUES = {
  OTP: defineQueue('dlr-otp', { rows: 'report', maxWeight: 250, isUrgent: true }),
  OTHER: defineQueue('dlr', { rows: 'report', maxWeight: 600 }),
  BULK: defineQueue('dlr-bulk', { rows: 'report', maxWeight: 250 }),
} as const;

/**
 * Queue of the reports of a lane, whatever the position of their messages in a send. The lane is null for messages that
 * recipients wrote.
 */
export function reportQueueOf(lane: Lane | null): QueueDefinition {
  return lane !== null && CODE_LANES.includes(lane) ? REPORT_QUEUES.OTP : REPORT_QUEUES.OTHER;
}

/** Stored callbacks of gateways, to be parsed. A row has the weight of `callbackWeight`. */
export const CALLBACK_QUEUE = defineQueue('callback', { rows: 'callback', maxWeight: 100 });

/** Weight of a callback in its job: one for each started kilobyte. */
export function callbackWeight(sizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / 1_024));
}

/** Templates whose newest version awaits review. */
export const TEMPLATE_REVIEW_QUEUE = defineQueue('template-review', { rows: 'template', maxWeight: 100 });

/** Callbacks that the simulated chat-app provider has yet to make; it retries until the call is accepted. */
export const CHAT_SIMULATOR_QUEUE = defineQueue<ChatSimulatorJob>('chat-simulator', {
  rows: 'message',
  maxWeight: 250,
  retry: { attempts: 100, delayMs: 1_000 },
});

/** Every queue of the installation. */
export const ALL_QUEUES: readonly QueueDefinition[] = [
  ...Object.values(SMS_QUEUES),
  ...Object.values(CHAT_QUEUES),
  OTP_QUEUE,
  TEMPLATE_REVIEW_QUEUE,
  CALLBACK_QUEUE,
  ...Object.values(REPORT_QUEUES),
  CHAT_SIMULATOR_QUEUE,
];

/** Returns the kind of rows that the jobs of a queue name. @throws Error for a name that no queue has */
export function rowKindOf(name: string): RowKind {
  const queue = ALL_QUEUES.find((each) => each.name === name);
  if (!queue) throw new Error(`there is no queue ${name}`);
  return queue.rows;
}
