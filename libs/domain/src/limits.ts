import type { Lane } from './lane.ts';

/** Recipients of one SMS request. */
export const MAX_RECIPIENTS = 10_000;

/**
 * Maximum recipients of a small send. Larger sends are stored apart from small ones, and the reports about their later
 * recipients are queued apart.
 */
export const MAX_SMALL_SEND = 100;

/** Parts of one SMS; a longer text is refused. */
export const MAX_SMS_PARTS = 10;

/**
 * Maximum messages that a job fans out of each submission, so that a large one does not occupy a worker. Claims of
 * pending messages have the same limit, and rounds of a chat-app lane have it as their budget. A round of an SMS lane
 * has another.
 */
export const FAN_OUT_CHUNK = 500;

/** Starts after which an unfinished row is parked: kept, counted in the metrics, and left for an operator. */
export const MAX_STARTS = 10;

/** Rows that wait are counted up to this number, so that no count reads a whole backlog. */
export const COUNTED_ROWS = 10_000;

/** Duration of a worker's claim on the messages it submits; then another worker may claim them. */
export const LEASE_SECONDS = 10;

/** Age at which a row without a job is enqueued again. The delay doubles with each attempt. */
export const RESCUE_AFTER_SECONDS = 10;

/** Lifetime of an idempotency key. */
export const IDEMPOTENCY_HOURS = 48;

/** Default time by which a message of each lane must be submitted. A code is useless after minutes. */
export const LIFETIME_HOURS: Record<Lane, number> = {
  OTP: 0.25,
  TRANS: 48,
  PROMO: 48,
  CHAT_OTP: 0.25,
  CHAT: 24,
};

/** Maximum days from now to `sendAt`, and from then to `expiresAt`. */
export const MAX_DAYS_AHEAD = 180;

/** Maximum `ratePerSecond` of a submission, in messages. */
export const MAX_RATE_PER_SECOND = 10_000;

/** Values of one SMS template. */
export const MAX_TEMPLATE_VALUES = 50;

/** Short links of one text. */
export const MAX_SHORT_LINKS = 10;

/** Burst of chat-app messages from one sender to one recipient, and the seconds between further ones. */
export const PAIR_BURST = 45;
export const PAIR_SECONDS = 6;

/** Burst of a chat-app sender, as seconds of its rate; at least two messages. */
export const SENDER_BURST_SECONDS = 0.25;

/** Days for which the number of a deleted sender is reserved for its account. */
export const QUARANTINE_DAYS = 90;

/**
 * Milliseconds between two pings of a connection whose other end may have vanished without closing it, and for an answer:
 * together 10 s.
 */
export const PING_EVERY_MS = 3_000;
export const PING_ANSWER_MS = 7_000;
