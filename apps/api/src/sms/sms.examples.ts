import { SUBMISSION_ID } from '../docs/example-ids.ts';
import type { SendResult } from '../sending/send-result.ts';

const ID = SUBMISSION_ID;

/** Bodies of POST /v1/sms as /docs shows them. */
export const SMS_BODIES = {
  'One message': { sender: 'SIGNALBX', to: '919812345678', text: 'Your order has shipped.', type: 'TRANS' },
  'A bulk': {
    sender: 'SIGNALBX',
    to: ['919812345678', '919812345679'],
    text: 'Sale ends tonight.',
    type: 'PROMO',
    campaignName: 'Spring sale',
  },
  'A one-time password': {
    sender: 'SIGNALBX',
    to: '919812345678',
    text: 'Your code is 483920.',
    type: 'OTP',
  },
  'A short link': {
    sender: 'SIGNALBX',
    to: '919812345678',
    text: 'Follow your order: {{shortUrl}}',
    type: 'TRANS',
    shortenUrlData: { shortenUrl: true, targetUrl: ['https://example.com/orders/42'] },
  },
  'Unicode, shown immediately': {
    sender: 'SIGNALBX',
    to: '919812345678',
    text: 'नमस्ते',
    type: 'TRANS',
    unicode: 1,
    flash: 1,
  },
};

/** The answer to the first of them. */
export const SMS_ANSWER: SendResult = {
  id: ID,
  data: [{ recipient: '919812345678', messageId: `${ID}:1` }],
  totalCount: 1,
  message: 'The message was accepted.',
  error: null,
};
