import type { ChatAccountView, ChatSenderView } from './chat-account.view.ts';

/** Bodies of POST /v1/chat-accounts, shown by /docs. */
export const CHAT_ACCOUNT_BODIES = {
  'A shop': { name: 'Shop' },
  'A help desk': { name: 'Help desk', sessionWindow: 'enforce' },
};

export const RENAMED_BODIES = {
  Rename: { name: 'Shop, Europe' },
  'Enforce the session window': { sessionWindow: 'enforce' },
};

export const SENDER_BODIES = {
  Digits: { msisdn: '15550100002' },
  'With a plus, and a lower rate': { msisdn: '+15550100003', messagesPerSecond: 20 },
};

export const SENDER_CHANGES = { Faster: { messagesPerSecond: 500 } };

/** Id of the chat account in the examples of /docs. */
export const CHAT_ACCOUNT_ID = 100_002;

export const CHAT_ACCOUNT: ChatAccountView = {
  id: CHAT_ACCOUNT_ID,
  name: 'Shop',
  sessionWindow: 'off',
  createdAt: '2026-11-20T23:08:41.027Z',
  updatedAt: '2026-11-20T23:08:41.027Z',
};

export const SENDER: ChatSenderView = {
  msisdn: '15550100002',
  messagesPerSecond: 80,
  createdAt: '2026-11-20T23:09:12.480Z',
};

export const RENAMED = { ...CHAT_ACCOUNT, name: 'Shop, Europe' };
export const SENDER_CHANGED = { ...SENDER, messagesPerSecond: 500 };
