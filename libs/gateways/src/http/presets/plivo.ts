import { PLIVO_REPORT_ERRORS } from '../../errors/plivo.ts';
import type { Preset } from '../preset.ts';

/** Plivo Messages API, version 1. */
export const PLIVO: Preset = {
  baseUrl: 'https://api.plivo.com',
  requires: ['authId'],
  errors: {},
  reportErrors: PLIVO_REPORT_ERRORS,
  request: {
    method: 'POST',
    url: '{baseUrl}/v1/Account/{authId}/Message/',
    auth: [{ type: 'basic', user: '{authId}', value: '{token}' }],
    body: {
      type: 'json',
      fields: {
        src: '{sender}',
        dst: '{recipient}',
        text: '{text}',
        url: '{reportUrl}',
        method: 'POST',
        dlt_entity_id: '{dltEntityId}',
        dlt_template_id: '{dltTemplateId}',
      },
    },
  },
  answer: {
    success: { status: [200, 201, 202], source: 'message_uuid[0]' },
    id: 'message_uuid[*]',
    description: 'error',
    rules: [
      {
        status: [400],
        pattern: '/not a valid phone number|invalid.{0,20}dst/i',
        result: 'rejected',
        errCode: '003',
      },
      { status: [400], pattern: '/\\bsrc\\b|sender id/i', result: 'rejected', errCode: '007' },
      { status: [402], result: 'down' },
    ],
  },
  callback: {
    decode: 'form',
    reports: {
      gatewayMessageId: 'MessageUUID',
      recipient: 'To',
      status: 'Status',
      statuses: {
        queued: 'IGNORED',
        sent: 'SENT',
        delivered: 'DELIVERED',
        undelivered: 'FAILED',
        rejected: 'FAILED',
        failed: 'FAILED',
        read: 'READ',
      },
      errorCode: 'ErrorCode',
      reportedAt: 'DeliveryReportTime',
      details: { price: 'TotalAmount', units: 'Units', mcc: 'MCC', mnc: 'MNC' },
    },
    inbound: { id: 'MessageUUID', from: 'From', to: 'To', text: 'Text' },
    signature: {
      type: 'hmac',
      algorithm: 'sha256',
      encoding: 'base64',
      parts: ['urlWithoutQuery', 'header:x-plivo-signature-v2-nonce'],
      header: 'x-plivo-signature-v2',
      secret: 'token',
    },
  },
};
