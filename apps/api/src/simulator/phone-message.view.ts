import { CHANNELS } from '@signalbox/domain/channel';
import type { RenderedChat } from '@signalbox/domain/chat/message';
import { type Static, Type } from 'typebox';
import { MESSAGE_ID, RECIPIENT, TEXT, TIME, model, oneOf } from '../docs/model.ts';

export const PhoneMessageView = model('PhoneMessage', 'A message on a simulated phone.', {
  messageId: MESSAGE_ID,
  channel: oneOf(CHANNELS),
  from: TEXT,
  text: Type.String({ description: 'The readable text.' }),
  content: Type.Optional(
    Type.Unsafe<RenderedChat>({
      type: 'object',
      description: 'A chat-app message as rendered, with its header, buttons and cards.',
    }),
  ),
  receivedAt: TIME,
});
export type PhoneMessageView = Static<typeof PhoneMessageView>;

export const PhoneView = model('Phone', 'A simulated phone that received messages.', {
  msisdn: RECIPIENT,
  lastReceivedAt: TIME,
});
export type PhoneView = Static<typeof PhoneView>;

export const PHONES: PhoneView[] = [{ msisdn: '919812345678', lastReceivedAt: '2026-11-20T23:10:04.201Z' }];

export const PHONE: PhoneMessageView[] = [
  {
    messageId: '019e6f0c-5a53-7d0c-8a4e-6f1f0a6d2b11:1',
    channel: 'sms',
    from: 'SIGNALBX',
    text: 'Your order has shipped.',
    receivedAt: '2026-11-20T23:10:04.201Z',
  },
  {
    messageId: '019e6f0c-4b1e-7c55-9d0a-1f2e3d4c5b6a:1',
    channel: 'chatapp',
    from: '15550100001',
    text: 'Hi Asha, order A-1001 is on its way.',
    content: {
      body: 'Hi Asha, order A-1001 is on its way.',
      buttons: [{ type: 'URL', text: 'Track it', url: 'https://example.com/orders/A-1001' }],
    },
    receivedAt: '2026-11-20T23:10:00.118Z',
  },
];
