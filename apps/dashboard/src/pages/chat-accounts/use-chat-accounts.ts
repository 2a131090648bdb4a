import { type ChatAccount, listChatAccounts } from '@signalbox/client';
import { type List, useList } from '../../api/use-list.ts';

/** Lists the chat accounts. */
export function useChatAccounts(): List<ChatAccount> {
  return useList(
    ['chat-accounts'],
    (cursor, signal) => listChatAccounts({ query: { cursor, limit: 100 }, signal }),
    { isWhole: true },
  );
}
