import { MESSAGE_ID, WEBHOOK_ID } from '../docs/example-ids.ts';
import type { DeliveryView } from './delivery.view.ts';
import type { EndpointStatsView } from './endpoint-stats.view.ts';
import type { ReplayView } from './replay.view.ts';
import type { WebhookHealthView } from './webhook-health.view.ts';
import type { WebhookView } from './webhook.view.ts';
import { WEBHOOK } from './webhooks.examples.ts';

/** Ids of the examples in /docs. */
export const DELIVERY_ID = `019e6f0c-5c4e-7b11-a1b7-3d1f5f0e8c22_${WEBHOOK_ID}`;
export const REPLAY_ID = '019e6f2a-8a10-7c3e-b0f4-6f0d2b9c1a55';

export const DELIVERY: DeliveryView = {
  id: DELIVERY_ID,
  webhookId: WEBHOOK_ID,
  messageId: MESSAGE_ID,
  recipient: '919812345678',
  event: null,
  messageStatus: 'Delivered',
  status: 'delivered',
  reason: null,
  nextAttemptAt: null,
  createdAt: '2026-11-20T23:10:04.731Z',
  finishedAt: '2026-11-20T23:10:10.102Z',
  attempts: [
    {
      at: '2026-11-20T23:10:04.731Z',
      responseStatus: 503,
      error: 'bad_status',
      durationMs: 21,
      timings: { dnsMs: 2, connectMs: 4, tlsMs: 8, firstByteMs: 6 },
      answer: 'upstream is being deployed',
      requestHeaders: {
        'user-agent': 'Signalbox',
        'Message-Id': MESSAGE_ID,
        'content-type': 'application/json',
        'webhook-id': DELIVERY_ID,
        'webhook-timestamp': '1795216204',
        'webhook-signature': 'v1,***',
        'webhook-sequence': '1',
      },
    },
    {
      at: '2026-11-20T23:10:10.102Z',
      responseStatus: 204,
      error: null,
      durationMs: 18,
      timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: 17 },
      answer: null,
      requestHeaders: null,
    },
  ],
};

export const REPLAYED: DeliveryView = {
  ...DELIVERY,
  status: 'waiting',
  reason: 'replayed',
  nextAttemptAt: '2026-11-21T08:00:00.000Z',
  finishedAt: null,
  attempts: [DELIVERY.attempts[0]!],
};

export const STATS: EndpointStatsView = {
  breaker: 'open',
  openUntil: '2026-11-20T23:21:00.000Z',
  failuresInRow: 14,
  failingSince: '2026-11-20T23:16:31.480Z',
  backlog: 212,
  backlogCountedTo: 100_000,
  nextAttemptAt: '2026-11-20T23:16:36.900Z',
  latest: {
    deliveries: 1000,
    countedTo: 1000,
    delivered: 986,
    exhausted: 0,
    successRate: 0.9763,
    p50Ms: 18,
    p95Ms: 64,
  },
};

export const ENABLED: EndpointStatsView = {
  ...STATS,
  breaker: 'closed',
  openUntil: null,
  failuresInRow: 0,
  failingSince: null,
};

export const HEALTH: WebhookHealthView[] = [
  {
    webhookId: WEBHOOK_ID,
    called: true,
    breaker: 'open',
    openUntil: '2026-11-20T23:12:00.000Z',
    failuresInRow: 24,
    failingSince: '2026-11-20T22:58:11.000Z',
    backlog: 310,
    backlogCountedTo: 10_000,
    nextAttemptAt: '2026-11-20T23:10:09.000Z',
    lastFailure: { at: '2026-11-20T23:10:04.000Z', responseStatus: 500, error: 'bad_status' },
    hours: [
      { at: '2026-11-20T22:00:00.000Z', calls: 412, failures: 3 },
      { at: '2026-11-20T23:00:00.000Z', calls: 96, failures: 24 },
    ],
  },
];

export const DISABLED: WebhookView = {
  ...WEBHOOK,
  status: 'disabled',
  disabledReason: 'disabled by the account',
};

/** Bodies of POST /v1/webhooks/{id}/replay, shown by /docs. */
export const REPLAY_BODIES = {
  'Replay the exhausted deliveries of one day': { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' },
  'Replay all deliveries, 200 per second': {
    from: '2026-11-20T00:00:00Z',
    status: ['exhausted', 'delivered'],
    ratePerSecond: 200,
  },
};

export const REPLAY: ReplayView = {
  id: REPLAY_ID,
  webhookId: WEBHOOK_ID,
  status: 'running',
  from: '2026-11-20T00:00:00.000Z',
  to: '2026-11-21T00:00:00.000Z',
  statuses: ['exhausted'],
  ratePerSecond: 50,
  total: 4210,
  countedTo: 100_000,
  replayed: 1300,
  createdAt: '2026-11-21T08:00:00.000Z',
  finishedAt: null,
};

export const REPLAY_STARTED: ReplayView = { ...REPLAY, replayed: 0 };

export const REPLAY_COUNTED: ReplayView = {
  ...REPLAY,
  id: null,
  status: null,
  replayed: 0,
  finishedAt: null,
};

export const REPLAY_CANCELLED: ReplayView = {
  ...REPLAY,
  status: 'cancelled',
  finishedAt: '2026-11-21T08:00:26.000Z',
};
