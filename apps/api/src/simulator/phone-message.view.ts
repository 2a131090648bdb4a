import type { ListAnswer } from '../http/answer.ts';

/** A message as the phone shows it. */
export interface PhoneMessageView {
  messageId: string;
  channel: 'sms';
  from: string;
  text: string;
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
  ],
  message: '1 message.',
  error: null,
  nextCursor: null,
};
