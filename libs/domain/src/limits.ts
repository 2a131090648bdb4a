import type { AnyLane } from './lane.ts';

/** The most recipients one SMS call may name (decisions, POST /v1/sms). */
export const MAX_RECIPIENTS = 10_000;

/** The most parts one SMS may have; a longer text is refused. */
export const MAX_SMS_PARTS = 10;

/** A large submission is fanned out in chunks of so many messages, so that one bulk never holds a worker. */
export const FAN_OUT_CHUNK = 500;

/** A row that was taken up this often without an end is parked: kept, counted in the metrics, and left for a person. */
export const MAX_STARTS = 10;

/** How long a worker may hold the messages it submits; after that another may take them up. */
export const LEASE_SECONDS = 10;

/** A row without a job is rung for again when it is older than this, and after each ring waits twice as long. */
export const RESCUE_AFTER_SECONDS = 10;

/** How long an idempotency key answers for its first call. */
export const IDEMPOTENCY_HOURS = 48;

/** How long a message of each lane may wait to be submitted when its caller says nothing; a code is useless after minutes. */
export const LIFETIME_HOURS: Record<AnyLane, number> = {
  OTP: 0.25,
  TRANS: 48,
  PROMO: 48,
  CHAT_OTP: 0.25,
  CHAT: 24,
};

/** How far ahead a message may be scheduled, and how long after that it may expire. */
export const MAX_DAYS_AHEAD = 180;

/** The fastest pace that a submission may ask for, in messages per second. */
export const MAX_RATE_PER_SECOND = 10_000;

/** The most values the text of an SMS template may have. */
export const MAX_TEMPLATE_VALUES = 50;

/** The most short links one text may have. */
export const MAX_SHORT_LINKS = 10;

/** A recipient may get so many chat-app messages of a sender at once, and then one each so many seconds. */
export const PAIR_BURST = 45;
export const PAIR_SECONDS = 6;

/** So much of a second's messages of a chat-app sender may go out at once; two of them in any case. */
export const SENDER_BURST_SECONDS = 0.25;
