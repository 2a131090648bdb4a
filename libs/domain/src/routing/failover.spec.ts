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
