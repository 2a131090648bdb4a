import { MESSAGE_ID, WEBHOOK_ID } from '../docs/example-ids.ts';
import type { MessageSummary, MessageView } from './message.view.ts';

export const MESSAGE: MessageSummary = {
  messageId: MESSAGE_ID,
  recipient: '919812345678',
  sender: 'SIGNALBX',
  channel: 'sms',
  type: 'TRANS',
  status: 'Delivered',
  errCode: '000',
  statusDescription: 'Message delivered',
  credits: 1,
  gateway: 'simulator',
  operatorCircle: 'UNKNOWN',
  country: 'IN',
  campaignName: null,
  clientRef: null,
  createdAt: '2026-11-20T23:10:04.180Z',
  sentAt: '2026-11-20T23:10:04.191Z',
  deliveredAt: '2026-11-20T23:10:04.702Z',
  unconfirmed: false,
  parked: false,
  clicks: 1,
  templateName: null,
};

/** A delivered message whose report was pushed. */
export const MESSAGE_DETAILS: MessageView = {
  ...MESSAGE,
  sendAt: null,
  expiresAt: '2026-11-22T23:10:04.180Z',
  heldUntil: null,
  waitsFor: null,
  lastInboundAt: null,
  sessionOpenUntil: null,
  content: {
    text: 'Your order has shipped: https://sms.example.com/s/4fQz0aB19xYk',
    isCode: false,
    encoding: 'GSM-7',
    flash: false,
    smsTemplateId: null,
    rendered: null,
  },
  gatewayMessageId: '9f31c7',
  sendSize: 1,
  timeline: [
    { at: '2026-11-20T23:10:04.180Z', event: 'accepted' },
    { at: '2026-11-20T23:10:04.191Z', event: 'sent' },
    {
      at: '2026-11-20T23:10:04.702Z',
      event: 'report',
      status: 'Delivered',
      errCode: '000',
      description: 'Message delivered',
      gateway: 'simulator',
    },
    {
      at: '2026-11-20T23:10:04.731Z',
      event: 'push_delivered',
      status: 'Delivered',
      webhookId: WEBHOOK_ID,
      webhookName: 'reports',
      attempts: 1,
      responseStatus: 204,
      durationMs: 18,
      deliveryId: '019e6f0c-5c4e-7b11-a1b7-3d1f5f0e8c22_019e6f0b-11c2-7a55-9d3b-0c8e5f2a7714',
    },
    {
      at: '2026-11-20T23:12:31.502Z',
      event: 'clicked',
      by: 'person',
      clicks: 1,
      link: 1,
      url: 'https://example.com/orders/42',
      lastAt: '2026-11-20T23:12:31.502Z',
    },
  ],
};

/** Bodies of POST /v1/messages as /docs shows them. */
export const MESSAGE_FILTERS = {
  'What a number got': { recipient: '919812345678' },
  'What failed of a campaign': { campaignName: 'Diwali sale', status: ['Failed'], limit: 100 },
  'What a gateway refused or lost': { gateway: 'simulator', status: ['Failed'], errCode: '003' },
  'A day': { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' },
};
