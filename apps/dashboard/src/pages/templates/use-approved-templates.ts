import { type ChatTemplate, chatTemplateList } from '@signalbox/client';
import { type List, useList } from '../../api/use-list.ts';

/** Lists the templates that the numbers of a chat account can send; none while the chat account is not known. */
export function useApprovedTemplates(chatAccountId: number | undefined): List<ChatTemplate> {
  return useList(
    ['templates', 'approved', chatAccountId],
    (cursor, signal) =>
      chatTemplateList({
        query: {
          limit: 200,
          status: 'Approved',
          ...(chatAccountId !== undefined && { chatAccountId }),
          ...(cursor !== undefined && { cursor }),
        },
        signal,
      }),
    { enabled: chatAccountId !== undefined, isWhole: true },
  );
}
