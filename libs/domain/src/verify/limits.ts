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

/** What was used of a quota in the span of time that began `at`, in epoch milliseconds. */
export interface QuotaUse {
  at: number;
  amount: number;
}

/** How the uses of a quota are kept: added up by spans, each of which counts until it began so long ago. */
export interface QuotaWindow {
  spanMs: number;
  countsMs: number;
}

/** Any 60 minutes, and up to 5 more, so that few spans have to be kept. */
export const SLIDING_HOUR: QuotaWindow = { spanMs: 300 * SECOND, countsMs: 3_900 * SECOND };
export const DAY_OF_UTC: QuotaWindow = { spanMs: DAY_MS, countsMs: DAY_MS };

/** How long until so much more may be used of a quota; 0 when it may be used now. More than the limit has to wait for nothing but a new window. */
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

/** The uses of a quota with one more, without those that count no longer. */
export function withUse(
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
