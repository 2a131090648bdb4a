import type { TemplateComponent } from '@signalbox/domain/templates/template';
import type { Answer } from '../http/answer.ts';
import type { CreatedTemplates, TemplateEventView, TemplateView } from './template.view.ts';

/** The chat account of the demo account. */
const CHAT_ACCOUNT_ID = 100_001;

/** Bodies of createChatTemplate, shown by /docs. */
export const TEMPLATE_BODIES = {
  'An order update': {
    name: 'order_update',
    category: 'UTILITY',
    language: 'en',
    chatAccountId: CHAT_ACCOUNT_ID,
    components: [
      {
        type: 'BODY',
        text: 'Hi {{1}}, your order {{2}} is on its way.',
        example: { body_text: [['Asha', 'A-1001']] },
      },
      { type: 'FOOTER', text: 'Thank you for your order' },
      {
        type: 'BUTTONS',
        buttons: [{ type: 'URL', text: 'Track it', url: 'https://example.com/orders/{{2}}' }],
      },
    ],
  },
  'A code to copy': {
    name: 'login_code',
    category: 'AUTHENTICATION',
    language: 'en_US, hi_IN',
    chatAccountId: CHAT_ACCOUNT_ID,
    code_expiration_minutes: 10,
    components: [
      { type: 'BODY', text: '{{1}} is your verification code.', example: { body_text: [['123456']] } },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    ],
  },
  'An offer with cards': {
    name: 'summer_cards',
    category: 'MARKETING',
    language: 'en',
    chatAccountId: CHAT_ACCOUNT_ID,
    components: [
      { type: 'BODY', text: 'Our summer picks for you' },
      {
        type: 'CAROUSEL',
        cards: [
          {
            header: { type: 'IMAGE', image_url: 'https://example.com/hat.jpg' },
            body: 'A straw hat',
            buttons: [{ type: 'URL', text: 'See it', url: 'https://example.com/hat' }],
          },
        ],
      },
    ],
  },
};

/** Id of the template in the examples of /docs. */
export const TEMPLATE_ID = '019e6f0b-2c11-7d02-8f3a-5b1c9e7d4a60';

const COMPONENTS: TemplateComponent[] = TEMPLATE_BODIES['An order update'].components;

export const EDIT_BODIES = {
  'Replace the components': {
    id: TEMPLATE_ID,
    components: [{ type: 'BODY', text: 'Hello {{1}}, order {{2}} has left our house.' }],
  },
  'Change the category': { id: TEMPLATE_ID, category: 'MARKETING' },
};

export const DELETE_BODIES = { 'By id': { id: TEMPLATE_ID }, 'Another template': { id: TEMPLATE_ID } };

export const REVIEW_BODIES = {
  Approve: { id: TEMPLATE_ID, decision: 'approve' },
  'Reject with a reason': {
    id: TEMPLATE_ID,
    decision: 'reject',
    reason: 'The footer promises a service that we do not offer.',
  },
};

export const TEMPLATE: TemplateView = {
  id: TEMPLATE_ID,
  name: 'order_update',
  category: 'UTILITY',
  language: 'en',
  components: COMPONENTS,
  status: 'Approved',
  chatAccountId: CHAT_ACCOUNT_ID,
  rejectionReason: null,
  editsLeftToday: 1,
  editsLeftThisMonth: 10,
  createdAt: '2026-11-20T23:08:41.027Z',
  updatedAt: '2026-11-20T23:08:41.911Z',
};

export const EVENT: TemplateEventView = {
  event: 'approved',
  version: 1,
  actor: 'review:auto',
  actorName: null,
  reason: null,
  at: '2026-11-20T23:08:41.911Z',
  category: 'UTILITY',
  components: COMPONENTS,
  changes: [],
};

export const CREATED_ANSWER: CreatedTemplates = {
  id: TEMPLATE_ID,
  data: [{ ...TEMPLATE, status: 'Pending' }],
  totalCount: 1,
  message: 'The template was created.',
  error: null,
};

export const EDITED_ANSWER: Answer<TemplateView> = {
  data: { ...TEMPLATE, status: 'Pending', editsLeftToday: 0, editsLeftThisMonth: 9 },
  message: 'The template was changed.',
  error: null,
};
