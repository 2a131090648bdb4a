import { TWILIO_ERRORS } from '../../errors/twilio.ts';
import type { Preset } from '../preset.ts';

/** Twilio Programmable Messaging, version 2010-04-01. */
export const TWILIO: Preset = {
  baseUrl: 'https://api.twilio.com',
  requires: ['accountSid'],
  allows: ['messagingServiceSid'],
  errors: TWILIO_ERRORS,
  request: {
    method: 'POST',
    url: '{baseUrl}/2010-04-01/Accounts/{accountSid}/Messages.json',
    auth: [{ type: 'basic', user: '{accountSid}', value: '{token}' }],
    body: {
      type: 'form',
      fields: {
        To: '+{recipient}',
        From: '{senderE164}',
        MessagingServiceSid: '{messagingServiceSid}',
        Body: '{text}',
        StatusCallback: '{reportUrl}',
        ValidityPeriod: '{validity}',
      },
    },
  },
  fields: {
    validity: { from: 'validitySeconds', max: 36_000 },
  },
  answer: {
    success: { status: [200, 201], source: 'sid' },
    id: 'sid',
    errorCode: 'code',
    description: 'message',
    throttled: ['20429'],
    throttledSenders: ['21611', '30022', '63018'],
    throttledPairs: ['14107'],
    down: ['20003', '20005', '20006', '20404', '20008', '30002'],
  },
  callback: {
    decode: 'form',
    reports: {
      gatewayMessageId: 'MessageSid',
      recipient: 'To',
      status: 'MessageStatus',
      statuses: {
        accepted: 'IGNORED',
        scheduled: 'IGNORED',
        queued: 'IGNORED',
        sending: 'IGNORED',
        sent: 'SENT',
        delivered: 'DELIVERED',
        read: 'READ',
        undelivered: 'FAILED',
        failed: 'FAILED',
        canceled: 'FAILED',
      },
      errorCode: 'ErrorCode',
      description: 'ErrorMessage',
    },
    inbound: { id: 'MessageSid', from: 'From', to: 'To', text: 'Body' },
    respond: { status: 200, contentType: 'text/xml', body: '<Response/>' },
    signature: {
      type: 'hmac',
      algorithm: 'sha1',
      encoding: 'base64',
      parts: ['url', 'form'],
      header: 'x-twilio-signature',
      bodyHashParameter: 'bodySHA256',
      secret: 'token',
    },
  },
};
