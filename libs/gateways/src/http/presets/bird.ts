import { BIRD_ERRORS, BIRD_REPORT_ERRORS } from '../../errors/bird.ts';
import type { Preset } from '../preset.ts';

/** Bird's SMS API at rest.messagebird.com, which was MessageBird's. */
export const BIRD: Preset = {
  baseUrl: 'https://rest.messagebird.com',
  requires: [],
  errors: BIRD_ERRORS,
  reportErrors: BIRD_REPORT_ERRORS,
  request: {
    method: 'POST',
    url: '{baseUrl}/messages',
    headers: { accept: 'application/json' },
    auth: [{ type: 'header', name: 'authorization', value: 'AccessKey {token}' }],
    body: {
      type: 'json',
      fields: {
        originator: '{sender}',
        recipients: ['{recipient}'],
        body: '{text}',
        datacoding: '{datacoding}',
        type: '{smsType}',
        reference: '{messageId}',
        reportUrl: '{callbackUrl}',
        validity: '{validitySeconds:number}',
      },
    },
  },
  fields: {
    datacoding: { from: 'encoding', map: { 'GSM-7': 'plain', 'UCS-2': 'unicode' }, default: 'auto' },
    smsType: { from: 'messageClass', map: { '0': 'flash' }, default: 'sms' },
  },
  answer: {
    success: { status: [200, 201], source: 'id' },
    id: 'id',
    errorCode: 'errors[*].code',
    description: 'errors[*].description',
    temporary: ['99'],
    down: ['2', '25'],
  },
  callback: {
    reports: {
      messageId: 'reference',
      gatewayMessageId: 'id',
      recipient: 'recipient',
      status: 'status',
      statuses: {
        scheduled: 'IGNORED',
        buffered: 'SENT',
        sent: 'SENT',
        delivered: 'DELIVERED',
        expired: 'FAILED',
        delivery_failed: 'FAILED',
      },
      errorCode: 'statusErrorCode',
      description: 'statusReason',
      reportedAt: 'statusDatetime',
      statusErrors: { expired: '004' },
      details: { network: 'mccmnc', price: 'price[amount]', currency: 'price[currency]' },
    },
    inbound: { id: 'id', from: 'originator', to: 'recipient', text: 'body', sentAt: 'createdDatetime' },
    respond: { status: 200, contentType: 'text/plain', body: 'OK' },
    signature: {
      type: 'jwt',
      header: 'messagebird-signature-jwt',
      urlClaim: 'url_hash',
      bodyClaim: 'payload_hash',
    },
  },
};
