import type { SenderAssignmentView, SenderView } from './sender.view.ts';

/** Bodies of POST /v1/sender-assignments as /docs shows them. */
export const ASSIGNMENT_BODIES = {
  Digits: { msisdn: '15550100004' },
  'With a plus': { msisdn: '+15550100005' },
};

/** A number as /docs shows it. */
export const ASSIGNED_NUMBER = '15550100004';

export const ASSIGNMENT: SenderAssignmentView = {
  msisdn: ASSIGNED_NUMBER,
  accountId: '019e6f0a-7f11-7d02-9a55-1f4c6c1b2a33',
  accountName: 'Our company',
  assignedBy: 'operator',
  assignedAt: '2026-11-20T23:08:41.027Z',
  quarantinedUntil: null,
  inUse: false,
};

export const SENDERS: SenderView[] = [
  {
    channel: 'chatapp',
    sender: '15550100001',
    chatAccountId: 100_001,
    chatAccountName: 'Shop',
    sessionWindow: 'off',
    lastUsedAt: null,
  },
  {
    channel: 'sms',
    sender: 'SIGNALBX',
    chatAccountId: null,
    chatAccountName: null,
    sessionWindow: null,
    lastUsedAt: '2026-11-20T23:10:04.180Z',
  },
];
