/** Limits of a configuration on the codes sent to one number. */
export interface SendLimits {
  resendAfterSeconds: number;
  maxSendsPer10Minutes: number;
  maxSendsPerDay: number;
}

/** Wrong codes per number in any 24 hours, over all its verifications. Further codes are not compared. */
export const MAX_WRONG_CODES_PER_DAY = 20;

/** Codes sent to a number in any 24 hours, over all its configurations: it bounds the row of the number. */
const MAX_SENDS_PER_DAY = 200;

const SECOND = 1000;
const TEN_MINUTES = 600 * SECOND;
export const DAY_MS = 86_400 * SECOND;

/**
 * Computes the time until the next code may be sent; 0 if it may be sent now. The windows slide: no 10 minutes and no
 * 24 hours ever hold more sends than allowed.
 *
 * @param sentAt times of earlier sends in epoch milliseconds, oldest first
 */
export function sendWaitMs(limits: SendLimits, sentAt: readonly number[], now: number): number {
  return Math.max(
    windowWaitMs(sentAt, 1, limits.resendAfterSeconds * SECOND, now),
    windowWaitMs(sentAt, limits.maxSendsPer10Minutes, TEN_MINUTES, now),
    windowWaitMs(sentAt, limits.maxSendsPerDay, DAY_MS, now),
  );
}

/** Computes the time until a number may get a code of any configuration; 0 if it may get one now. */
export function numberWaitMs(sentAt: readonly number[], now: number): number {
  return windowWaitMs(sentAt, MAX_SENDS_PER_DAY, DAY_MS, now);
}

/** Computes the time until a number with these wrong codes is unlocked; 0 if it is not locked. */
export function lockWaitMs(wrongAt: readonly number[], now: number): number {
  return windowWaitMs(wrongAt, MAX_WRONG_CODES_PER_DAY, DAY_MS, now);
}

/** Computes the time until fewer than `max` of these events are within the last `windowMs`. */
function windowWaitMs(at: readonly number[], max: number, windowMs: number, now: number): number {
  const blocking = at.at(-max);
  return blocking === undefined ? 0 : Math.max(0, blocking + windowMs - now);
}

/** Use of a quota in the span that starts `at`, in epoch milliseconds. */
export interface QuotaUse {
  at: number;
  amount: number;
}

/** Window of a quota: uses are added up per `spanMs`, and count until `countsMs` after the span's start. */
export interface QuotaWindow {
  spanMs: number;
  countsMs: number;
}

/** Any 60 to 65 minutes: spans of 5 minutes keep the list of uses short. */
export const SLIDING_HOUR: QuotaWindow = { spanMs: 300 * SECOND, countsMs: 3_900 * SECOND };
export const DAY_OF_UTC: QuotaWindow = { spanMs: DAY_MS, countsMs: DAY_MS };

/**
 * Computes the time until an amount may be used; 0 if it may be used now. An amount above the limit waits for a new
 * window.
 */
export function quotaWaitMs(
  uses: readonly QuotaUse[],
  window: QuotaWindow,
  amount: number,
  limit: number,
  now: number,
): number {
  const counting = uses.filter(({ at }) => at + window.countsMs > now);
  let excess = counting.reduce((sum, use) => sum + use.amount, amount) - limit;
  if (excess <= 0) return 0;
  for (const use of counting) {
    excess -= use.amount;
    if (excess <= 0) return use.at + window.countsMs - now;
  }
  return spanAt(window, now) + window.countsMs - now;
}

/** Adds a use, and drops those that no longer count. */
export function addUse(
  uses: readonly QuotaUse[],
  window: QuotaWindow,
  amount: number,
  now: number,
): QuotaUse[] {
  const at = spanAt(window, now);
  const earlier = uses.filter((use) => use.at !== at && use.at + window.countsMs > now);
  const before = uses.find((use) => use.at === at)?.amount ?? 0;
  return [...earlier, { at, amount: before + amount }];
}

function spanAt({ spanMs }: QuotaWindow, now: number): number {
  return Math.floor(now / spanMs) * spanMs;
}
