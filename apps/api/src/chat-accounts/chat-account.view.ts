import type { ChatAccountRow, ChatSenderRow } from '@signalbox/database/chat/accounts';

/** A chat account. Templates name its id as `chatAccountId`. */
export interface ChatAccountView {
  id: number;
  name: string;
  sessionWindow: string;
  createdAt: string;
  updatedAt: string;
}

export interface ChatSenderView {
  msisdn: string;
  messagesPerSecond: number;
  createdAt: string;
}

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
