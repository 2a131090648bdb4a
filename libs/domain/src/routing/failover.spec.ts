import { expect, test } from '@jest/globals';
import { type FailoverFacts, type FailoverStep, stepAfter } from './failover.ts';
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
  [ACCEPTED, {}, 'settle'],
  [ACCEPTED, { isUp: false, throttledMs: 60_000 }, 'settle'],
  [UNCONFIRMED, {}, 'settle'],
  [UNCONFIRMED, { isUp: false, throttledMs: 60_000 }, 'settle'],
  [UNCONFIRMED, { policy: RESENDS }, 'resend'],
  [THROTTLED, {}, 'settle'],
  [THROTTLED, { throttledMs: 29_999 }, 'settle'],
  [THROTTLED, { throttledMs: 30_000 }, 'next'],
  [THROTTLED, { throttledMs: 30_000, hasNext: false }, 'settle'],
  [THROTTLED, { isUp: false }, 'next'],
  [THROTTLED, { isUp: false, hasNext: false }, 'settle'],
  [{ ...THROTTLED, scope: 'message' }, { throttledMs: 30_000 }, 'next'],
  [REJECTED, {}, 'settle'],
  [REJECTED, { isUp: false, throttledMs: 60_000, policy: RESENDS }, 'settle'],
  [{ ...REJECTED, tryOther: false }, {}, 'settle'],
  [{ ...REJECTED, tryOther: true }, {}, 'next'],
  [{ ...REJECTED, tryOther: true }, { hasNext: false }, 'settle'],
])('after %j with %j the step is %s', (outcome, facts, step) => {
  expect(stepAfter({ messageId: 'm:1', ...outcome }, { ...FACTS, ...facts })).toBe(step);
});
