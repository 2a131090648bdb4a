import { GUPSHUP_ERRORS, GUPSHUP_REPORT_ERRORS } from '../../errors/gupshup.ts';
import type { Preset } from '../preset.ts';

/** Gupshup's enterprise SMS API, with reports by GET or POST and inbound messages by GET. */
export const GUPSHUP: Preset = {
  baseUrl: 'https://enterprise.smsgupshup.com',
  requires: ['username'],
  errors: GUPSHUP_ERRORS,
  reportErrors: GUPSHUP_REPORT_ERRORS,
  request: {
    method: 'POST',
    url: '{baseUrl}/GatewayAPI/rest',
    auth: [
      { type: 'body', name: 'userid', value: '{username}' },
      { type: 'body', name: 'password', value: '{token}' },
    ],
    body: {
      type: 'form',
      fields: {
        method: 'SendMessage',
        v: '1.1',
        auth_scheme: 'plain',
        format: 'text',
        send_to: '{recipient}',
        mask: '{sender}',
        msg: '{text}',
        msg_type: '{smsType}',
        principalEntityId: '{dltEntityId}',
        dltTemplateId: '{dltTemplateId}',
      },
    },
  },
  fields: {
    smsType: { from: 'encoding', map: { 'GSM-7': 'TEXT', 'UCS-2': 'Unicode_text' }, default: 'TEXT' },
  },
  answer: {
    success: { source: '/^\\s*(success)\\s*\\|/i' },
    id: '/^\\s*success\\s*\\|\\s*\\d+\\s*\\|\\s*([\\w-]{1,100})/i',
    keepsIds: true,
    errorCode: '/^\\s*error\\s*\\|\\s*(\\d{1,5})\\s*\\|/i',
    description: '/^\\s*error\\s*\\|\\s*\\d{1,5}\\s*\\|\\s*(.{1,200})/i',
    temporary: ['100', '106'],
    down: ['102', '103'],
  },
  callback: {
    jsonField: 'response',
    reports: {
      list: '[*]',
      gatewayMessageId: 'externalId',
      recipient: 'destAddr|phoneNo',
      status: 'eventType|status',
      statuses: {
        SENT: 'SENT',
        DELIVERED: 'DELIVERED',
        FAILED: 'FAILED',
        READ: 'READ',
        UNKNOWN: 'IGNORED',
        SUCCESS: 'DELIVERED',
        FAILURE: 'FAILED',
        FAIL: 'FAILED',
      },
      errorCode: 'cause',
      description: 'cause',
      reportedAt: 'eventTs|deliveredTS',
    },
    inbound: {
      from: 'msisdn',
      to: 'phonecode',
      text: 'content',
      sentAt: 'timestamp',
      national: { countryCode: '91', digits: 10 },
    },
    // any other text would be sent to the subscriber
    respond: { status: 200, contentType: 'text/xml', body: '<response></response>' },
  },
};
