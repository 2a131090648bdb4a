import type { SmsTemplateView } from './sms-template.view.ts';

/** A template's id as /docs shows it. */
export const SMS_TEMPLATE_ID = '019e6f0b-2d31-7c0a-8f5e-5b1d9f0c3a42';

/** Bodies of POST /v1/sms/templates as /docs shows them. */
export const SMS_TEMPLATE_BODIES = {
  'Two values and a short link': {
    name: 'order-shipped',
    text: 'Hi {{1}}, your order {{2}} has shipped: {{shortUrl}}',
    sender: 'SIGNALBX',
    type: 'TRANS',
  },
  'Registered with DLT': {
    name: 'bill-due',
    text: 'Dear {#var#}, your bill of Rs {#var#} is due.',
    dltEntityId: '1101234567890123456',
    dltTemplateId: '1107234567890123456',
  },
};

/** Bodies of PATCH /v1/sms/templates/{id}. */
export const SMS_TEMPLATE_CHANGES = {
  'Another text': { text: 'Hi {{1}}, your order {{2}} is on its way: {{shortUrl}}' },
  'No sender any more': { sender: null },
};

export const TEMPLATE: SmsTemplateView = {
  id: SMS_TEMPLATE_ID,
  name: 'order-shipped',
  text: 'Hi {{1}}, your order {{2}} has shipped: {{shortUrl}}',
  variables: 2,
  sender: 'SIGNALBX',
  type: 'TRANS',
  dltEntityId: null,
  dltTemplateId: null,
  createdAt: '2026-11-20T23:08:41.027Z',
  updatedAt: '2026-11-20T23:08:41.027Z',
};

export const SMS_TEMPLATE_CHANGED: SmsTemplateView = {
  ...TEMPLATE,
  text: SMS_TEMPLATE_CHANGES['Another text'].text,
  updatedAt: '2026-11-21T08:00:00.000Z',
};
