import { expect, test } from '@jest/globals';
import type { AppliedReport } from '@signalbox/database/reports/applied-report';
import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import { firstIdAt } from '@signalbox/domain/id-time';
import type { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { FirstPusher } from './first-pusher.ts';
import type { OpenTarget } from './open-target.ts';
import { type FirstPush, firstPushes } from './pending-push.ts';
import type { PushSlice } from './push-plan.ts';
import type { PushResults } from './push-results.ts';
import type { PushTries } from './push-tries.ts';
import type { TryEnd } from './push-try.ts';

const ACCOUNT = 'account';

test.each([
  { when: 'other accounts are active', othersActive: true, ageMs: 0, isHandedOff: true },
  { when: 'older reports may have others behind them', othersActive: false, ageMs: 1_500, isHandedOff: true },
  { when: 'the account is alone and keeps up', othersActive: false, ageMs: 500, isHandedOff: false },
])(
  'hand-off from a busy endpoint is $isHandedOff when $when',
  async ({ othersActive, ageMs, isHandedOff }) => {
    const pusher = setup(othersActive);

    const parts = await pusher.push(sliceOf(firstIdAt(Date.now() - ageMs)));

    expect(parts.filter(({ handedOffEnd }) => handedOffEnd !== undefined)).toHaveLength(isHandedOff ? 1 : 0);
  },
);

/** A pusher whose only endpoint is slow exactly when its calls delay others. */
function setup(othersActive: boolean): FirstPusher {
  const tries = {
    laneOf: () => ({ isSlow: (delaysOthers: boolean) => delaysOthers }),
    makeFirst: ({ target }: FirstPush, _timer: unknown, end: TryEnd) =>
      end.resolve({ webhookId: target.id } as PushOutcome),
    finishWithoutJob: (settled: Promise<void>) => settled,
  } as unknown as PushTries;
  const results: Pick<PushResults, 'put'> = { put: (_settled, end) => end.resolve(undefined) };
  const throttle: Pick<AccountThrottle, 'areOthersActive'> = { areOthersActive: () => othersActive };
  return new FirstPusher(tries, results as PushResults, throttle as AccountThrottle);
}

function sliceOf(reportId: string): PushSlice {
  const report = { reportId, accountId: ACCOUNT, status: 'DELIVERED', isFinal: true, chat: null };
  const target = { id: 'webhook', accountId: ACCOUNT, channel: 'sms', provider: 'any', filters: {} };
  const reports = [report as unknown as AppliedReport];
  const pushes = firstPushes(reports[0]!, [target as unknown as OpenTarget]);
  return { reports, pushes, byReport: new Map([[reportId, pushes]]), isDeferred: false };
}
