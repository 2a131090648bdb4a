import { clampDelayMs } from '@signalbox/domain/sanitize';
import type { SubmitCounts } from './channel.ts';
import type { RecordableOutcome } from './recordable-outcome.ts';

/** Messages whose delays end within the same step share a job. */
const RETRY_STEP_MS = 1_000;

/** Messages of submissions to be submitted again after a delay. */
interface Retry {
  messageIds: string[];
  delayMs: number;
}

/** The counts of submitted messages, and those that are to be submitted again. */
export interface Submitted extends SubmitCounts {
  retries: Retry[];
}

export const NOTHING: Submitted = {
  submitted: 0,
  taken: 0,
  throttled: 0,
  retryAfterMs: 0,
  pauseMs: 0,
  rejected: 0,
  gatewayMs: 0,
  retries: [],
};

/**
 * Counts the outcomes of some messages, without those that depend on how many were submitted.
 *
 * @param isOnly no other gateway could take the messages
 */
export function countOutcomes(outcomes: readonly RecordableOutcome[], isOnly: boolean): Submitted {
  const again = outcomes.flatMap((each) => ('retryAfterMs' in each ? [each] : []));
  const delayOf = (list: readonly { retryAfterMs: number }[]): number =>
    Math.max(0, ...list.map(({ retryAfterMs }) => clampDelayMs(retryAfterMs)));
  const throttled = again.filter(({ result }) => result === 'throttled');
  const ofGateway = throttled.filter((each) => 'scope' in each && each.scope === 'gateway');
  const isBlocked = ofGateway.length * 2 > outcomes.length;
  const byDelay = Map.groupBy(again, ({ retryAfterMs }) =>
    Math.ceil(clampDelayMs(retryAfterMs) / RETRY_STEP_MS),
  );
  return {
    ...NOTHING,
    throttled: throttled.length,
    retryAfterMs: delayOf(throttled),
    pauseMs: isOnly && isBlocked ? delayOf(ofGateway) : 0,
    rejected: outcomes.filter(({ result }) => result === 'rejected').length,
    retries: Array.from(byDelay.values(), (list) => ({
      messageIds: list.map(({ messageId }) => messageId),
      delayMs: delayOf(list),
    })),
  };
}

/** Completes the counts of messages that were submitted to one gateway. */
export function withTaken(counts: Submitted, submitted: number): Submitted {
  return { ...counts, submitted, taken: submitted - counts.throttled };
}

/** Adds up the counts of several gateways. */
export function merge(all: readonly Submitted[]): Submitted {
  return all.reduce(
    (a, b) => ({
      submitted: a.submitted + b.submitted,
      taken: a.taken + b.taken,
      throttled: a.throttled + b.throttled,
      retryAfterMs: Math.max(a.retryAfterMs, b.retryAfterMs),
      pauseMs: Math.max(a.pauseMs, b.pauseMs),
      rejected: a.rejected + b.rejected,
      gatewayMs: Math.max(a.gatewayMs, b.gatewayMs),
      retries: [...a.retries, ...b.retries],
    }),
    NOTHING,
  );
}
