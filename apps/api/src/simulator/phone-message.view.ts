import type { Channel } from '@signalbox/database/submissions/submissions';
import type { RenderedChat } from '@signalbox/domain/chat/message';
import type { ListAnswer } from '../http/answer.ts';

/** A message on a simulated phone. */
export interface PhoneMessageView {
  messageId: string;
  channel: Channel;
  from: string;
  /** The readable text. */
  text: string;
  /** A chat-app message as rendered, with its header, buttons and cards. */
  content?: RenderedChat;
  receivedAt: string;
}

export const PHONE_ANSWER: ListAnswer<PhoneMessageView> = {
  data: [
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
  ],
  message: '2 messages.',
  error: null,
  nextCursor: null,
};
