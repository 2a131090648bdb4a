import { ACCOUNT_ID, MESSAGE_ID } from '../docs/example-ids.ts';
import type { ParkedActionView, ParkedCountsView, ParkedRowView } from './parked.view.ts';

export const PARKED: ParkedRowView[] = [
  {
    kind: 'message',
    id: MESSAGE_ID,
    messageId: MESSAGE_ID,
    accountId: ACCOUNT_ID,
    gateway: null,
    starts: 10,
    since: '2026-11-20T23:10:05.210Z',
    problem: 'sealed_with_another_key',
  },
];

export const COUNTS: ParkedCountsView = {
  message: 1,
  submission: 0,
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
