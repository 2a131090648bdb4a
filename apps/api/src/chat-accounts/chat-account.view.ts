import type { ChatAccountRow, ChatSenderRow } from '@signalbox/database/chat-accounts';

/** A chat account as the API shows it; its id is the chatAccountId of templates. */
export interface ChatAccountView {
  id: number;
  name: string;
  createdAt: string;
  updatedAt: string;
}

export interface ChatSenderView {
  msisdn: string;
  createdAt: string;
}

export function chatAccountView({ id, name, createdAt, updatedAt }: ChatAccountRow): ChatAccountView {
  return { id, name, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

export function chatSenderView({ msisdn, createdAt }: ChatSenderRow): ChatSenderView {
  return { msisdn, createdAt: createdAt.toISOString() };
}
