import type { Answer, ListAnswer } from '../http/answer.ts';
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

const good = <D>(data: D, message: string): Answer<D> => ({ data, message, error: null });

export const CREATED_ANSWER = good(CHAT_ACCOUNT, 'The chat account was created.');
export const FOUND_ANSWER = good(CHAT_ACCOUNT, 'The chat account was found.');
export const LIST_ANSWER: ListAnswer<ChatAccountView> = {
  ...good([CHAT_ACCOUNT], '1 chat account.'),
  nextCursor: null,
};
export const RENAMED_ANSWER = good(
  { ...CHAT_ACCOUNT, name: 'Shop, Europe' },
  'The chat account was changed.',
);
export const DELETED_ANSWER = good({ id: CHAT_ACCOUNT_ID }, 'The chat account was deleted.');
export const SENDER_ANSWER = good(SENDER, 'The sender was added.');
export const SENDER_CHANGED_ANSWER = good({ ...SENDER, messagesPerSecond: 500 }, 'The sender was changed.');
export const SENDERS_ANSWER: ListAnswer<ChatSenderView> = {
  ...good([SENDER], '1 sender.'),
  nextCursor: null,
};
export const SENDER_DELETED_ANSWER = good({ msisdn: SENDER.msisdn }, 'The sender was deleted.');
