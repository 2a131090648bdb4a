import { hashKey, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { type ClientResult, answerOf } from './answer.ts';
import type { ApiFailure } from './failure.ts';
import { readsAllowed } from './held-reads.ts';
import { type ListPages, type ListPlace, type Page, START, firstPlace, placeAfter } from './list-place.ts';
import { listReads } from './list-reads.ts';
import { type LiveKind, holdList } from './live.ts';

/** Pages that are kept. Others are read again when a person scrolls back to them. */
const KEPT_PAGES = 10;

/** A list that grows page by page. */
export interface List<Row> {
  /** The rows that are kept, one after the other. */
  rows: readonly Row[];
  /** Rows before the first that is kept. */
  skipped: number;
  /** True until the first page is there. */
  isLoading: boolean;
  /** True while shown rows belong to an earlier filter. */
  isStale: boolean;
  /** Failure of the last read. What was read before is still there. */
  failure: ApiFailure | null;
  /** Failure of a list of which no page was ever read, so that there is nothing to show. */
  unread: ApiFailure | null;
  hasMore: boolean;
  isLoadingMore: boolean;
  isLoadingBack: boolean;
  loadMore: () => void;
  /** Reads the page of a row that is no longer kept, by its place in the list. */
  loadBack: (row: number) => void;
  /** Repeats the read that failed. */
  reload: () => void;
  /** Keeps a live list as it is until the returned function is called. */
  hold: () => () => void;
}

/** Options of a list. */
interface ListOptions {
  enabled?: boolean;
  refetchInterval?: number | false;
  /** Events after which the list is read again, unless it is held. */
  live?: readonly LiveKind[];
  /** Keeps all pages, for a field that chooses among all rows. */
  isWhole?: boolean;
}

/**
 * Reads a list by its cursor: `useList(['messages', filter], (cursor, signal) => listMessages({ query: { ...filter,
 * cursor }, signal }))`. It keeps ten pages, those around what a person looks at.
 */
export function useList<Row>(
  key: readonly unknown[],
  call: (cursor: string | undefined, signal: AbortSignal) => ClientResult<Page<Row>>,
  { enabled = true, refetchInterval = false, live, isWhole = false }: ListOptions = {},
): List<Row> {
  const queries = useQueryClient();
  const query = useInfiniteQuery<Page<Row>, ApiFailure, ListPages<Row>, readonly unknown[], ListPlace>({
    queryKey: key,
    queryFn: async ({ pageParam, signal }) => {
      await readsAllowed();
      return answerOf(call(pageParam.cursor, signal));
    },
    initialPageParam: START,
    getNextPageParam: (last, _, place) => placeAfter(place, last),
    getPreviousPageParam: (_, __, place) => place.previous,
    ...(!isWhole && { maxPages: KEPT_PAGES }),
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval,
    ...(live && { meta: { live } }),
  });
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.data) ?? [], [query.data]);
  const reads = listReads<Row>(queries, key, query);
  const hash = hashKey(key);
  const hold = useCallback(() => holdList(hash), [hash]);
  return {
    rows,
    skipped: firstPlace(query.data).before,
    isLoading: query.isPending && enabled,
    isStale: query.isPlaceholderData,
    failure: query.error,
    unread: query.data ? null : query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    isLoadingBack: query.isFetchingPreviousPage,
    loadMore: () => void reads.loadMore(),
    loadBack: (row) => void reads.loadBack(row),
    reload: () => void reads.reload(),
    hold,
  };
}
