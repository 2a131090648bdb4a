import { type ChatAccount, listChatAccounts } from '@signalbox/client';
import { type List, useList } from '../../api/use-list.ts';
import { useMay } from '../../app/use-session.ts';

/** Lists the chat accounts; none for a session without the scope `manage`. */
export function useChatAccounts(): List<ChatAccount> {
  const isAllowed = useMay('manage');
  return useList(
    ['chat-accounts'],
    (cursor, signal) => listChatAccounts({ query: { cursor, limit: 100 }, signal }),
    {
      enabled: isAllowed,
    },
  );
}
