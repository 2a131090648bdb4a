import { MSG91_ERRORS, MSG91_REPORT_ERRORS } from '../../errors/msg91.ts';
import type { Preset } from '../preset.ts';

/**
 * MSG91 flow API, version 5, with webhooks of version 2. A flow is a template at MSG91 with one variable, `##text##`.
 * It receives the text of the message.
 */
export const MSG91: Preset = {
  baseUrl: 'https://control.msg91.com',
  requires: ['templateId'],
  errors: MSG91_ERRORS,
  reportErrors: MSG91_REPORT_ERRORS,
  request: {
    method: 'POST',
    url: '{baseUrl}/api/v5/flow',
    headers: { accept: 'application/json' },
    auth: [{ type: 'header', name: 'authkey', value: '{token}' }],
    body: {
      type: 'json',
      fields: {
        template_id: '{templateId}',
        sender: '{sender}',
        short_url: '0',
        DLT_TE_ID: '{dltTemplateId}',
        recipients: [{ mobiles: '{recipient}', text: '{text}' }],
      },
    },
  },
  answer: {
    success: { source: 'type', equals: ['success'] },
    id: '/"(?:message|request_id)"\\s*:\\s*"([0-9a-fA-F]{10,64})"/',
    keepsIds: true,
    errorCode: 'code',
    description: 'message',
    down: ['201', '207', '208', '301', '302', '303', '418'],
    rules: [
      { pattern: '/"message"\\s*:\\s*"[^"]{0,100}(?:auth|not whitelisted|balance)/i', result: 'down' },
      { pattern: '/"message"\\s*:\\s*"[^"]{0,100}(?:template|flow)/i', result: 'rejected', errCode: '015' },
      { pattern: '/"message"\\s*:\\s*"[^"]{0,100}mobile/i', result: 'rejected', errCode: '003' },
    ],
  },
  callback: {
    decode: 'form',
    jsonField: 'data',
    reports: {
      list: '[*].report[*]',
      gatewayMessageId: 'requestId',
      recipient: 'number',
      status: 'status',
      statuses: {
        '1': 'DELIVERED',
        '2': 'FAILED',
        '9': 'FAILED',
        '16': 'FAILED',
        '17': 'FAILED',
        '25': 'FAILED',
      },
      errorCode: 'status',
      description: 'desc',
      reportedAt: 'date',
    },
  },
};
