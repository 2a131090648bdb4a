import type { ChatAccountRow, ChatSenderRow } from '@signalbox/database/chat/accounts';
import { type Static, Type } from 'typebox';
import { NUMBER, TEXT, TIME, model, oneOf } from '../docs/model.ts';

export const ChatAccountView = model(
  'ChatAccount',
  'A chat account. Templates name its id as `chatAccountId`.',
  {
    id: Type.Integer({ minimum: 100_001 }),
    name: TEXT,
    sessionWindow: oneOf(['off', 'enforce']),
    createdAt: TIME,
    updatedAt: TIME,
  },
);
export type ChatAccountView = Static<typeof ChatAccountView>;

export const ChatSenderView = model('ChatSender', 'A business number of a chat account.', {
  msisdn: NUMBER,
  messagesPerSecond: Type.Integer({ minimum: 1 }),
  createdAt: TIME,
});
export type ChatSenderView = Static<typeof ChatSenderView>;

export function chatAccountView({
  id,
  name,
  sessionWindow,
  createdAt,
  updatedAt,
}: ChatAccountRow): ChatAccountView {
  return { id, name, sessionWindow, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

export function chatSenderView({ msisdn, messagesPerSecond, createdAt }: ChatSenderRow): ChatSenderView {
  return { msisdn, messagesPerSecond, createdAt: createdAt.toISOString() };
}
