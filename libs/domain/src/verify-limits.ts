/** How often a configuration lets a code be sent to one number (decisions, POST /v1/verify). */
export interface SendLimits {
  resendAfterSeconds: number;
  maxSendsPer10Minutes: number;
  maxSendsPerDay: number;
}

/** Wrong codes that one number may get in any 24 hours, over all its verifications; no further code is compared then. */
export const MAX_WRONG_CODES_PER_DAY = 20;

const SECOND = 1000;
const TEN_MINUTES = 600 * SECOND;
export const DAY_MS = 86_400 * SECOND;

/**
 * How long until the next code may be sent; 0 when it may be sent now. The windows slide: no 10 minutes, and no 24 hours, ever hold
 * more sends than allowed.
 *
 * @param sentAt when codes were sent before, in epoch milliseconds, oldest first
 */
export function sendWaitMs(limits: SendLimits, sentAt: readonly number[], now: number): number {
  return Math.max(
    windowWaitMs(sentAt, 1, limits.resendAfterSeconds * SECOND, now),
    windowWaitMs(sentAt, limits.maxSendsPer10Minutes, TEN_MINUTES, now),
    windowWaitMs(sentAt, limits.maxSendsPerDay, DAY_MS, now),
  );
}

/** How long a number with these wrong codes is locked; 0 when it is not. */
export function lockWaitMs(wrongAt: readonly number[], now: number): number {
  return windowWaitMs(wrongAt, MAX_WRONG_CODES_PER_DAY, DAY_MS, now);
}

/** How long until fewer than `max` of these events are within the last `windowMs`. */
function windowWaitMs(at: readonly number[], max: number, windowMs: number, now: number): number {
  const blocking = at.at(-max);
  return blocking === undefined ? 0 : Math.max(0, blocking + windowMs - now);
}
