import { MESSAGE_ID, SUBMISSION_ID } from '../docs/example-ids.ts';
import type { SendResult } from '../sending/send-result.ts';
import type { SubmissionView } from '../sending/submission.view.ts';

const NUMBERS = { from: '15550100001', to: '919812345678' };
const SESSION = { recipient_type: 'individual', ...NUMBERS };

/** Bodies of POST /v1/chatapp, shown by /docs. */
export const CHAT_BODIES = {
  'A text': { ...SESSION, type: 'text', text: { body: 'Your parcel is at the front desk.' } },
  'A template with values': {
    ...NUMBERS,
    type: 'template',
    templateName: 'order_update',
    campaignName: 'Orders',
    components: { body: { params: ['Asha', 'A-1001'] } },
  },
  'A template without values': {
    ...NUMBERS,
    type: 'template',
    templateName: 'summer_cards',
    campaignName: 'Summer',
  },
  'A template with a file as its header': {
    ...NUMBERS,
    type: 'template',
    templateName: 'invoice_ready',
    components: {
      header: {
        type: 'document',
        document: { link: 'https://example.com/invoices/1001.pdf', filename: 'Invoice 1001.pdf' },
      },
      body: { params: ['Asha'] },
    },
  },
  'A one-time password': {
    ...NUMBERS,
    type: 'template',
    templateName: 'login_code',
    language: { code: 'en_US' },
    otp: '483920',
  },
  'Reply buttons': {
    ...SESSION,
    type: 'interactive',
    interactive: {
      type: 'button',
      header: { type: 'image', image: { link: 'https://example.com/parcel.jpg' } },
      body: { text: 'When should we deliver?' },
      footer: { text: 'Between 9 and 18 h' },
      action: {
        buttons: [
          { type: 'reply', reply: { id: 'today', title: 'Today' } },
          { type: 'reply', reply: { id: 'tomorrow', title: 'Tomorrow' } },
        ],
      },
    },
  },
  'A list': {
    ...SESSION,
    type: 'interactive',
    interactive: {
      type: 'list',
      header: { type: 'text', text: 'Our shops' },
      body: { text: 'Where do you want to collect it?' },
      action: {
        button: 'Choose a shop',
        sections: [
          { title: 'North', rows: [{ id: 'n1', title: 'Hill Road', description: 'Open until 20 h' }] },
          { title: 'South', rows: [{ id: 's1', title: 'Lake Street' }] },
        ],
      },
    },
  },
  'A location request': {
    ...SESSION,
    type: 'interactive',
    interactive: {
      type: 'location_request_message',
      body: { text: 'Where should we deliver it?' },
      action: { name: 'send_location' },
    },
  },
  'An image': {
    ...SESSION,
    type: 'image',
    image: { link: 'https://example.com/hat.png', caption: 'The hat you asked about' },
  },
  'A video': {
    ...SESSION,
    type: 'video',
    video: { link: 'https://example.com/hat.mp4', caption: 'How to fold it' },
  },
  'A document': {
    ...SESSION,
    type: 'document',
    document: { link: 'https://example.com/hat.pdf', filename: 'Care.pdf' },
  },
};

/** Answer to the first of these bodies. */
export const CHAT_ANSWER: SendResult = {
  id: SUBMISSION_ID,
  data: [{ recipient: '919812345678', messageId: MESSAGE_ID }],
  totalCount: 1,
  message: 'The message was accepted.',
  error: null,
};

/** Answer to the cancellation of a scheduled message. */
export const CHAT_CANCEL: SubmissionView = {
  id: SUBMISSION_ID,
  channel: 'chatapp',
  sender: '15550100002',
  type: 'template',
  templateName: 'order_update',
  campaignName: null,
  clientRef: null,
  createdAt: '2026-11-20T15:25:04.180Z',
  sendAt: '2026-11-21T09:00:00.000Z',
  expiresAt: '2026-11-22T09:00:00.000Z',
  ratePerSecond: null,
  cancelledAt: '2026-11-20T15:26:10.311Z',
  state: 'cancelled',
  totalCount: 1,
  statuses: { Pending: 0, Sent: 0, Delivered: 0, Read: 0, Failed: 1 },
  held: 0,
  heldUntil: null,
  cancelled: 1,
};
