import { VONAGE_ERRORS, VONAGE_REPORT_ERRORS } from '../../errors/vonage.ts';
import type { Preset } from '../preset.ts';

/** Vonage SMS API, which was Nexmo's. */
export const VONAGE: Preset = {
  baseUrl: 'https://rest.nexmo.com',
  requires: ['apiKey'],
  errors: VONAGE_ERRORS,
  reportErrors: VONAGE_REPORT_ERRORS,
  request: {
    method: 'POST',
    url: '{baseUrl}/sms/json',
    auth: [
      { type: 'body', name: 'api_key', value: '{apiKey}' },
      { type: 'body', name: 'api_secret', value: '{token}' },
    ],
    body: {
      type: 'form',
      fields: {
        from: '{sender}',
        to: '{recipient}',
        text: '{text}',
        type: '{smsType}',
        'message-class': '{messageClass}',
        'status-report-req': '1',
        callback: '{callbackUrl}',
        'client-ref': '{messageId}',
        ttl: '{ttl}',
        'entity-id': '{dltEntityId}',
        'content-id': '{dltTemplateId}',
      },
    },
  },
  fields: {
    smsType: { from: 'encoding', map: { 'GSM-7': 'text', 'UCS-2': 'unicode' }, default: 'text' },
    // Vonage refuses less than 20 seconds, and more than a week
    ttl: { from: 'validityMs', min: 20_000, max: 604_800_000 },
  },
  answer: {
    success: { source: 'messages[*].status', equals: ['0'] },
    id: 'messages[*].message-id',
    errorCode: 'messages[*].status',
    description: 'messages[*].error-text',
    retryAfter: { source: '/wait \\[\\s*(\\d+)\\s*\\]/', unit: 'ms' },
    throttled: ['1', '10'],
    temporary: ['5'],
    down: ['4', '8', '9', '14', '32'],
  },
  callback: {
    reports: {
      messageId: 'client-ref',
      gatewayMessageId: 'messageId',
      recipient: 'msisdn',
      status: 'status',
      statuses: {
        accepted: 'SENT',
        buffered: 'SENT',
        delivered: 'DELIVERED',
        expired: 'FAILED',
        failed: 'FAILED',
        rejected: 'FAILED',
        unknown: 'IGNORED',
      },
      errorCode: 'err-code',
      reportedAt: 'message-timestamp',
      statusErrors: { expired: '004' },
      details: { price: 'price', network: 'network-code' },
    },
    inbound: {
      id: 'messageId',
      from: 'msisdn',
      to: 'to',
      text: 'text',
      sentAt: 'message-timestamp',
      reference: 'concat-ref',
      position: 'concat-part',
      total: 'concat-total',
    },
  },
};
