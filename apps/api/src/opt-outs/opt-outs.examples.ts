import type { OptOutView } from './opt-out.view.ts';

/** An opt-out's id as /docs shows it. */
export const OPT_OUT_ID = '019e6f0d-22aa-7c10-8d1e-5b7a90c4e6f2';

/** Bodies of POST /v1/opt-outs as /docs shows them. */
export const OPT_OUT_BODIES = {
  'One number, of all senders': { recipient: '919800009998', source: 'support', reason: 'Asked by phone' },
  'Several, of one sender': { recipients: ['919800009998', '919800009999'], sender: 'SIGNALBX' },
};

export const OPT_OUT: OptOutView = {
  id: OPT_OUT_ID,
  recipient: '919800009998',
  sender: null,
  source: 'support',
  reason: 'Asked by phone',
  createdAt: '2026-11-20T23:12:00.000Z',
};

export const ADDED: OptOutView[] = [OPT_OUT];
