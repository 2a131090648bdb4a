import type { CancellationView } from './cancellation.view.ts';

export const CANCELLATION_ID = '019e6f1c-77aa-7c1e-9d0b-4f3a2b1c0d9e';

export const RUNNING: CancellationView = {
  id: CANCELLATION_ID,
  status: 'running',
  filter: { campaignName: 'Spring sale', to: '2026-11-20T15:25:04.180Z' },
  total: 12_500,
  examined: 0,
  sends: 0,
  cancelled: 0,
  createdAt: '2026-11-20T15:25:04.180Z',
  finishedAt: null,
};

export const CANCEL_COUNTED: CancellationView = { ...RUNNING, id: null, status: null, sends: 2 };

export const CANCELLATION: CancellationView = {
  ...RUNNING,
  status: 'done',
  examined: 40,
  sends: 2,
  cancelled: 12_480,
  finishedAt: '2026-11-20T15:25:05.011Z',
};

/** Bodies of POST /v1/messages/cancel as /docs shows them. */
export const CANCEL_BODIES = {
  'A campaign': { filter: { campaignName: 'Spring sale' } },
  'Pending SMS since the morning': { filter: { channel: 'sms', from: '2026-11-20T06:00:00Z' } },
};
