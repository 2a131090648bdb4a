import { type MessageSummary, listMessages } from '@signalbox/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { answerOf } from '../../api/answer.ts';
import { type ListPages, type Page, START } from '../../api/list-place.ts';
import { type List, useList } from '../../api/use-list.ts';
import { type MessageSearch, queryOf } from './search.ts';

type Pages = ListPages<MessageSummary>;

/** Messages of one page of the list. */
export const PAGE = 100;

/** The list of messages, kept up to date. */
interface LiveMessages {
  list: List<MessageSummary>;
  /** Messages that are newer than the first of the list. */
  fresh: number;
  showFresh: () => void;
}

/**
 * Lists messages. After each event it reads the newest page again: rows on the page change in place, and newer messages
 * are counted until the person wants to see them.
 */
export function useMessages(search: MessageSearch): LiveMessages {
  const queries = useQueryClient();
  const query = useMemo(() => ({ ...queryOf(search, Date.now()), limit: PAGE }), [search]);
  const key = useMemo(() => ['messages', 'list', search], [search]);
  const headKey = useMemo(() => ['messages', 'head', search], [search]);
  const list = useList(key, async (cursor, signal) => {
    const answer = await listMessages({
      query: { ...query, ...(cursor !== undefined && { cursor }) },
      signal,
    });
    // an event during the read has made it stale: then the newest page is read after it
    const isNewest = cursor === undefined && !queries.getQueryState(headKey)?.isInvalidated;
    if (isNewest && answer.data) queries.setQueryData<Page<MessageSummary>>(headKey, answer.data);
    return answer;
  });
  const { data: head } = useQuery({
    queryKey: headKey,
    queryFn: async ({ signal }) => {
      const page = await answerOf(listMessages({ query, signal }));
      queries.setQueryData<Pages>(key, (pages) => pages && mergeHead(pages, page.data));
      return page;
    },
    enabled: !list.isLoading && !list.isStale && !list.failure,
    meta: { live: ['message'] },
  });
  const first = useFirst(list);
  const fresh = useMemo(() => countFresh(head?.data ?? [], first), [head, first]);
  const showFresh = () => {
    if (head) queries.setQueryData<Pages>(key, { pages: [head], pageParams: [START] });
    window.scrollTo({ top: 0 });
  };
  return { list, fresh, showFresh };
}

/** The first message of a list, also while its page is not kept. */
function useFirst({ rows, skipped, isStale }: List<MessageSummary>): MessageSummary | undefined {
  const [first, setFirst] = useState(rows[0]);
  if (skipped === 0 && !isStale && first !== rows[0]) setFirst(rows[0]);
  return first;
}

/** Puts newer states of listed messages in their place. Pages without a change stay as they are. */
function mergeHead(pages: Pages, head: readonly MessageSummary[]): Pages {
  const newer = new Map(head.map((message) => [message.messageId, message]));
  let hasChanged = false;
  const merged = pages.pages.map((page) => {
    if (!page.data.some((row) => isOlder(row, newer.get(row.messageId)))) return page;
    hasChanged = true;
    return { ...page, data: page.data.map((row) => newer.get(row.messageId) ?? row) };
  });
  return hasChanged ? { ...pages, pages: merged } : pages;
}

function isOlder(row: MessageSummary, newer: MessageSummary | undefined): boolean {
  return newer !== undefined && JSON.stringify(row) !== JSON.stringify(newer);
}

/** Counts the messages of a page that come before the first listed one; ids order messages by their age. */
function countFresh(head: readonly MessageSummary[], first: MessageSummary | undefined): number {
  if (!first) return head.length;
  const at = head.findIndex(({ messageId }) => messageId === first.messageId);
  return at === -1 ? head.length : at;
}
