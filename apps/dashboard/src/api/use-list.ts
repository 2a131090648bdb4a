import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type ClientResult, answerOf } from './answer.ts';
import type { ApiFailure } from './failure.ts';
import { readsAllowed } from './held-reads.ts';
import {
  type ListPages,
  type ListPlace,
  type Page,
  START,
  placeAfter,
  placeBack,
  unreadAt,
} from './list-place.ts';
import type { LiveKind } from './live.ts';

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
  reload: () => void;
}

/** Options of a list. */
interface ListOptions {
  enabled?: boolean;
  refetchInterval?: number | false;
  /** Events after which the list is read again, while only its first page is shown. */
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
  const firstOf = (data: ListPages<Row> | undefined): ListPlace => data?.pageParams[0] ?? START;
  // The state of the query, not of the last render: a click may come between the two.
  const isReading = (direction?: 'forward' | 'backward'): boolean => {
    const { fetchStatus, fetchMeta } = queries.getQueryState(key) ?? {};
    return fetchStatus === 'fetching' && (!direction || fetchMeta?.fetchMore?.direction === direction);
  };
  const untilRead = async (): Promise<void> => {
    if (isReading()) await query.refetch({ cancelRefetch: false });
  };
  const loadMore = async (): Promise<void> => {
    if (isReading('forward')) return;
    await untilRead();
    await query.fetchNextPage({ cancelRefetch: false });
  };
  const loadBack = async (row: number): Promise<void> => {
    if (isReading('backward')) return;
    await untilRead();
    const first = firstOf(queries.getQueryData<ListPages<Row>>(key));
    const place = placeBack(first, row);
    if (place === first) return;
    if (place === first.previous) return void query.fetchPreviousPage({ cancelRefetch: false });
    // far from the kept pages: begin there
    queries.setQueryData<ListPages<Row>>(key, unreadAt(place));
    void query.refetch();
  };
  return {
    rows,
    skipped: firstOf(query.data).before,
    isLoading: query.isPending && enabled,
    isStale: query.isPlaceholderData,
    failure: query.error,
    unread: query.data ? null : query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    isLoadingBack: query.isFetchingPreviousPage,
    loadMore: () => void loadMore(),
    loadBack: (row) => void loadBack(row),
    reload: () => void query.refetch(),
  };
}
