import type { RoutePolicy } from './route.ts';
import type { SubmitOutcome } from './submit-outcome.ts';

/** `record` records the outcome, `next` tries another gateway now, and `resend` submits again later. */
export type FailoverStep = 'record' | 'next' | 'resend';

/** The circumstances of an outcome. */
export interface FailoverFacts {
  /** True when the route has a further gateway that takes messages. */
  hasNext: boolean;
  /** False when the gateway is not up any more: what it throttled was never written. */
  isUp: boolean;
  /** Milliseconds since when gateways throttle the message; 0 when this is the first time. */
  throttledMs: number;
  policy: RoutePolicy;
}

/**
 * Decides what follows an outcome. Another gateway is tried only when this one cannot have the message: it was never
 * written, was throttled for longer than the route allows, or was refused for a reason that lies with the gateway.
 */
export function stepAfter(outcome: SubmitOutcome, facts: FailoverFacts): FailoverStep {
  const { hasNext, isUp, throttledMs, policy } = facts;
  switch (outcome.result) {
    case 'accepted':
      return 'record';
    case 'unconfirmed':
      return policy.resendUnconfirmed ? 'resend' : 'record';
    case 'rejected':
      return hasNext && outcome.tryOther === true ? 'next' : 'record';
    case 'throttled':
      return hasNext && (!isUp || throttledMs >= policy.failoverAfterMs) ? 'next' : 'record';
  }
}

/**
 * Returns the milliseconds after which a throttled message is tried again: those that its gateway asks for, but not more
 * than the route allows until the next gateway is tried.
 */
export function throttleDelayMs(
  retryAfterMs: number,
  { hasNext, throttledMs, policy }: Omit<FailoverFacts, 'isUp'>,
): number {
  return hasNext ? Math.min(retryAfterMs, Math.max(0, policy.failoverAfterMs - throttledMs)) : retryAfterMs;
}
