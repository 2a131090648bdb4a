import { expect, test } from '@jest/globals';
import { type FailoverFacts, type FailoverStep, stepAfter, throttleDelayMs } from './failover.ts';
import { DEFAULT_ROUTE_POLICY } from './route.ts';
import type { SubmitOutcome } from './submit-outcome.ts';

type WithoutId<T> = T extends unknown ? Omit<T, 'messageId'> : never;

const FACTS: FailoverFacts = { hasNext: true, isUp: true, throttledMs: 0, policy: DEFAULT_ROUTE_POLICY };
const RESENDS = { ...DEFAULT_ROUTE_POLICY, resendUnconfirmed: true };
const ACCEPTED = { result: 'accepted' as const, gatewayMessageIds: ['1'] };
const UNCONFIRMED = { result: 'unconfirmed' } as const;
const THROTTLED = { result: 'throttled', scope: 'gateway', retryAfterMs: 1 } as const;
const REJECTED = { result: 'rejected', errCode: '002', description: 'Refused' } as const;

test.each<[WithoutId<SubmitOutcome>, Partial<FailoverFacts>, FailoverStep]>([
  [ACCEPTED, {}, 'record'],
  [ACCEPTED, { isUp: false, throttledMs: 60_000 }, 'record'],
  [UNCONFIRMED, {}, 'record'],
  [UNCONFIRMED, { isUp: false, throttledMs: 60_000 }, 'record'],
  [UNCONFIRMED, { policy: RESENDS }, 'resend'],
  [THROTTLED, {}, 'record'],
  [THROTTLED, { throttledMs: 29_999 }, 'record'],
  [THROTTLED, { throttledMs: 30_000 }, 'next'],
  [THROTTLED, { throttledMs: 30_000, hasNext: false }, 'record'],
  [THROTTLED, { isUp: false }, 'next'],
  [THROTTLED, { isUp: false, hasNext: false }, 'record'],
  [{ ...THROTTLED, scope: 'message' }, { throttledMs: 30_000 }, 'next'],
  [REJECTED, {}, 'record'],
  [REJECTED, { isUp: false, throttledMs: 60_000, policy: RESENDS }, 'record'],
  [{ ...REJECTED, tryOther: false }, {}, 'record'],
  [{ ...REJECTED, tryOther: true }, {}, 'next'],
  [{ ...REJECTED, tryOther: true }, { hasNext: false }, 'record'],
])('after %j with %j the step is %s', (outcome, facts, step) => {
  expect(stepAfter({ messageId: 'm:1', ...outcome }, { ...FACTS, ...facts })).toBe(step);
});

test.each([
  [{}, 30_000],
  [{ throttledMs: 29_000 }, 1_000],
  [{ throttledMs: 40_000 }, 0],
  [{ hasNext: false }, 1_800_000],
  [{ policy: { ...DEFAULT_ROUTE_POLICY, failoverAfterMs: 3_600_000 } }, 1_800_000],
])('a message throttled for half an hour is tried again, with %j, after %i ms', (facts, delayMs) => {
  expect(throttleDelayMs(1_800_000, { ...FACTS, ...facts })).toBe(delayMs);
});
