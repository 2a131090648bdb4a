import { WEBHOOK_ID } from '../docs/example-ids.ts';
import type { WebhookView } from './webhook.view.ts';

/** Bodies of POST /v1/webhooks, shown by /docs. */
export const WEBHOOK_BODIES = {
  'Reports as JSON': {
    name: 'reports',
    endPoint: 'https://example.com/reports',
    headers: [{ key: 'Message-Id', value: '{{messageId}}' }],
  },
  'Reports as a query, with additional fields': {
    name: 'reports by GET',
    method: 'GET',
    endPoint: 'https://example.com/reports?tenant=7',
    fields: ['messageCredit', 'gatewayName'],
    maxInFlight: 16,
  },
  'Failed codes to India only, at most 50 per second': {
    name: 'failed codes',
    endPoint: 'https://example.com/failed',
    filters: { type: ['OTP'], status: ['Failed'], country: ['IN'] },
    schedule: [5, 30, 120],
    ratePerSecond: 50,
  },
};

/** Bodies of PATCH /v1/webhooks/{id}, shown by /docs. */
export const CHANGE_BODIES = {
  'Change the address': { endPoint: 'https://example.com/v2/reports' },
  'Restore the default schedule and remove the limit': { schedule: null, ratePerSecond: null },
  'Make no call until it is enabled again': { enabled: false },
};

export const WEBHOOK: WebhookView = {
  id: WEBHOOK_ID,
  name: 'reports',
  channel: 'sms',
  provider: 'any',
  method: 'POST',
  endPoint: 'https://example.com/reports',
  headers: [{ key: 'Message-Id', value: '{{messageId}}' }],
  fields: ['messageCredit'],
  events: [],
  intermediate: false,
  filters: {},
  schedule: null,
  maxInFlight: 4,
  ratePerSecond: null,
  batch: null,
  status: 'enabled',
  disabledReason: null,
  pulled: false,
  oldSecretsUntil: null,
  createdAt: '2026-11-20T23:08:41.027Z',
  updatedAt: '2026-11-20T23:08:41.027Z',
};

export const CREATED: WebhookView = {
  ...WEBHOOK,
  fields: [],
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
};

export const ROTATED: WebhookView = {
  ...WEBHOOK,
  oldSecretsUntil: '2026-11-21T23:08:41.027Z',
  secret: 'whsec_YKQrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqMfKQ9r8G=',
};
