import { onlyPage } from '../docs/described.ts';
import { answer } from '../http/answer.ts';
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

const CHAT_ACCOUNT: ChatAccountView = {
  id: CHAT_ACCOUNT_ID,
  name: 'Shop',
  sessionWindow: 'off',
  createdAt: '2026-11-20T23:08:41.027Z',
  updatedAt: '2026-11-20T23:08:41.027Z',
};

const SENDER: ChatSenderView = {
  msisdn: '15550100002',
  messagesPerSecond: 80,
  createdAt: '2026-11-20T23:09:12.480Z',
};

export const CREATED_ANSWER = answer(CHAT_ACCOUNT, 'The chat account was created.');
export const FOUND_ANSWER = answer(CHAT_ACCOUNT, 'The chat account was found.');
export const LIST_ANSWER = onlyPage([CHAT_ACCOUNT], 'chat account');
export const RENAMED_ANSWER = answer(
  { ...CHAT_ACCOUNT, name: 'Shop, Europe' },
  'The chat account was changed.',
);
export const DELETED_ANSWER = answer({ id: CHAT_ACCOUNT_ID }, 'The chat account was deleted.');
export const SENDER_ANSWER = answer(SENDER, 'The sender was added.');
export const SENDER_CHANGED_ANSWER = answer({ ...SENDER, messagesPerSecond: 500 }, 'The sender was changed.');
export const SENDERS_ANSWER = onlyPage([SENDER], 'sender');
export const SENDER_DELETED_ANSWER = answer({ msisdn: SENDER.msisdn }, 'The sender was deleted.');
