import { INFOBIP_ERRORS, INFOBIP_REPORT_ERRORS } from '../../errors/infobip.ts';
import type { Preset } from '../preset.ts';

/** Infobip SMS API, version 3. Each customer has a base URL. */
export const INFOBIP: Preset = {
  requires: ['baseUrl'],
  errors: INFOBIP_ERRORS,
  reportErrors: INFOBIP_REPORT_ERRORS,
  request: {
    method: 'POST',
    url: '{baseUrl}/sms/3/messages',
    headers: { accept: 'application/json' },
    auth: [{ type: 'header', name: 'authorization', value: 'App {token}' }],
    body: {
      type: 'json',
      fields: {
        messages: [
          {
            sender: '{sender}',
            destinations: [{ to: '{recipient}', messageId: '{messageId}' }],
            content: { text: '{text}' },
            options: {
              validityPeriod: { amount: '{validity:number}' },
              regional: {
                indiaDlt: { contentTemplateId: '{dltTemplateId}', principalEntityId: '{dltEntityId}' },
              },
            },
            webhooks: {
              delivery: { url: '{callbackUrl}', intermediateReport: true },
              contentType: 'application/json',
            },
          },
        ],
      },
    },
  },
  fields: { validity: { from: 'validityMinutes', max: 2_880 } },
  answer: {
    success: { source: 'messages[*].status.groupName', equals: ['PENDING', 'ACCEPTED', 'DELIVERED'] },
    id: 'messages[*].messageId',
    errorCode:
      '/"(?:errorCode|messageId|name)"\\s*:\\s*"((?:REJECTED|UNDELIVERABLE|EXPIRED|UNAUTHORIZED|BAD_REQUEST|TOO_MANY_REQUESTS|FORBIDDEN|E\\d)[A-Z0-9_]*)"/',
    description: '/"(?:description|text)"\\s*:\\s*"([^"\\\\]{1,200})/',
    throttled: ['TOO_MANY_REQUESTS', 'E429'],
    down: [
      'UNAUTHORIZED',
      'FORBIDDEN',
      'E401',
      'E403',
      'REJECTED_NOT_ENOUGH_CREDITS',
      'REJECTED_PREPAID_PACKAGE_EXPIRED',
    ],
  },
  callback: {
    decode: 'json',
    reports: {
      list: 'results[*]',
      messageId: 'messageId',
      recipient: 'to',
      status: 'status.groupName',
      statuses: {
        PENDING: 'SENT',
        ACCEPTED: 'SENT',
        DELIVERED: 'DELIVERED',
        UNDELIVERABLE: 'FAILED',
        EXPIRED: 'FAILED',
        REJECTED: 'FAILED',
      },
      errorCode: 'error.name',
      description: 'status.description',
      reportedAt: 'doneAt',
      statusErrors: { expired: '004' },
      details: {
        status: 'status.name',
        price: 'price.pricePerMessage',
        currency: 'price.currency',
        network: 'mccMnc',
        permanent: 'error.permanent',
      },
    },
    inbound: {
      list: 'results[*]',
      id: 'messageId',
      from: 'from',
      to: 'to',
      text: 'text',
      sentAt: 'receivedAt',
    },
  },
};
