/** Default schedule of a push: the delay before each of its 12 calls in seconds, about 75 hours in all. */
export const PUSH_SCHEDULE_SECONDS = [
  0, 5, 30, 120, 600, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400,
] as const;

const DEFAULT_WAITS: readonly number[] = PUSH_SCHEDULE_SECONDS.slice(1);

const MAX_JITTER = 0.2;
const MAX_RETRY_AFTER_MS = 86_400_000;

/**
 * Computes the delay before the next call of a push: that of the schedule, or a longer one that the receiver
 * asked for, of at most 24 hours. Up to 20 % of jitter is added, so that pushes that failed together are not
 * repeated together.
 *
 * @param attempts calls made so far, at least 1
 * @param random in [0, 1), decides the jitter
 * @param waits delay before each further call in seconds; null for the default schedule
 * @returns whole milliseconds, or undefined if all calls of the schedule were made
 */
export function nextPushDelayMs(
  attempts: number,
  random: number,
  retryAfterSeconds = 0,
  waits: readonly number[] | null = null,
): number | undefined {
  const seconds = (waits ?? DEFAULT_WAITS)[attempts - 1];
  if (seconds === undefined) return undefined;
  const stretchedMs = 1000 * (1 + MAX_JITTER * random);
  return Math.round(
    Math.max(seconds * stretchedMs, Math.min(retryAfterSeconds * stretchedMs, MAX_RETRY_AFTER_MS)),
  );
}
