import { expect, test } from '@jest/globals';
import type { Delivery } from '@signalbox/database/webhooks/deliveries';
import { deliveryView } from './delivery.view.ts';

const ID = '019e6f0c-5a53-7d0c-8a4e-6f1f0a6d2b11';

const DELIVERY: Delivery = {
  reportId: ID,
  webhookId: ID,
  channel: 'sms',
  submissionId: ID,
  n: 1,
  recipient: '919800000100',
  reportStatus: 'DELIVERED',
  status: 'WAITING',
  error: null,
  attempts: 0,
  responseStatus: null,
  durationMs: null,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
  nextAttemptAt: null,
  createdAt: new Date(0),
  finishedAt: null,
};

test.each([
  ['sms', 'DELIVERED', null],
  ['sms', 'SENT', null],
  ['sms', 'RECEIVED', 'message.received'],
  ['chatapp', 'SUBMITTED', 'message.sent'],
  ['chatapp', 'DELIVERED', 'message.status'],
  ['chatapp', 'RECEIVED', 'message.received'],
] as const)(
  'a delivery of the channel %s and the status %s shows the event %s',
  (channel, reportStatus, event) => {
    expect(deliveryView({ ...DELIVERY, channel, reportStatus }, []).event).toBe(event);
  },
);
