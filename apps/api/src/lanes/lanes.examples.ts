import { ACCOUNT_ID } from '../docs/example-ids.ts';
import type { LanesView } from './lane.view.ts';

export const LANES: LanesView = {
  backlogs: [
    {
      accountId: ACCOUNT_ID,
      accountName: 'Our company',
      pausedAt: null,
      lane: 'PROMO',
      ready: 212,
      oldestReadyAt: '2026-11-20T23:09:41.120Z',
      scheduled: 3,
      paced: 0,
      held: 1,
      nextDueAt: '2026-11-21T03:30:00.000Z',
    },
  ],
  moreAccounts: null,
  openMessages: [{ gateway: 'smsc-1', messages: 41, nextQuestionAt: '2026-11-20T23:10:20.000Z' }],
  waitingMessages: [{ lane: 'TRANS', messages: 12 }],
  waitingPushes: { pushes: 7, uncalled: 2, nextAttemptAt: '2026-11-20T23:10:30.000Z' },
  accounts: 1,
};
