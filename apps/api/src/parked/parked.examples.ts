import type { ParkedActionView, ParkedCountsView, ParkedRowView } from './parked.view.ts';

const MESSAGE_ID = '019e6f0c-5a53-7d0c-8a4e-6f1f0a6d2b11:1';

export const PARKED: ParkedRowView[] = [
  {
    kind: 'message',
    id: MESSAGE_ID,
    messageId: MESSAGE_ID,
    accountId: '019e6f0a-1c20-7b3e-9a5d-3c0f8e7d2a10',
    gateway: null,
    starts: 10,
    since: '2026-11-20T23:10:05.210Z',
    problem: 'sealed_with_another_key',
  },
];

export const COUNTS: ParkedCountsView = {
  message: 1,
  report: 0,
  template: 0,
  callback: 0,
  verification: 0,
};

export const FREE_BODIES = {
  'Count all parked messages': { kind: 'message', dryRun: true },
  'Free one message': { kind: 'message', ids: [MESSAGE_ID] },
};
export const DISCARD_BODIES = {
  'Count all parked reports': { kind: 'report', reason: 'No such messages.', dryRun: true },
  'Discard one message': { kind: 'message', ids: [MESSAGE_ID], reason: 'Its key is lost.' },
};

export const FREED: ParkedActionView = { kind: 'message', rows: 1, dryRun: false };

export const DISCARDED: ParkedActionView = { kind: 'message', rows: 1, dryRun: false };
