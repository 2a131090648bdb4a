import { SUBMISSION_ID } from '../docs/example-ids.ts';
import type { SubmissionView } from './submission.view.ts';

export const SUBMISSION: SubmissionView = {
  id: SUBMISSION_ID,
  channel: 'sms',
  sender: 'SIGNALBX',
  type: 'PROMO',
  templateName: null,
  campaignName: 'Spring sale',
  clientRef: null,
  createdAt: '2026-11-20T15:25:04.180Z',
  sendAt: null,
  expiresAt: '2026-11-22T15:25:04.180Z',
  ratePerSecond: 50,
  cancelledAt: null,
  state: 'sending',
  totalCount: 500,
  statuses: { Pending: 200, Sent: 40, Delivered: 255, Read: 0, Failed: 5 },
  held: 200,
  heldUntil: '2026-11-21T04:30:00.000Z',
  cancelled: 0,
};

/** The same, cancelled. */
export const CANCELLED: SubmissionView = {
  ...SUBMISSION,
  state: 'cancelled',
  cancelledAt: '2026-11-20T15:26:10.311Z',
  statuses: { Pending: 0, Sent: 40, Delivered: 255, Read: 0, Failed: 205 },
  held: 0,
  heldUntil: null,
  cancelled: 200,
};
