import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type ClientResult, answerOf } from './answer.ts';
import type { ApiFailure } from './failure.ts';
import type { LiveKind } from './live.ts';

/** A page of a list, as the api answers it. */
interface Page<Row> {
  data: Row[];
  nextCursor: string | null;
}

/** A list that grows page by page. */
export interface List<Row> {
  rows: readonly Row[];
  /** True until the first page is there. */
  isLoading: boolean;
  /** True while shown rows belong to an earlier filter. */
  isStale: boolean;
  failure: ApiFailure | null;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  reload: () => void;
}

/** Options of a list. */
interface ListOptions {
  enabled?: boolean;
  refetchInterval?: number | false;
  /** Events after which the list is read again, while only its first page is shown. */
  live?: readonly LiveKind[];
}

/**
 * Reads a list by its cursor: `useList(['messages', filter], (cursor, signal) => listMessages({ query: { ...filter,
 * cursor }, signal }))`.
 */
export function useList<Row>(
  key: readonly unknown[],
  call: (cursor: string | undefined, signal: AbortSignal) => ClientResult<Page<Row>>,
  { enabled = true, refetchInterval = false, live }: ListOptions = {},
): List<Row> {
  const query = useInfiniteQuery<
    Page<Row>,
    ApiFailure,
    { pages: Page<Row>[] },
    readonly unknown[],
    string | undefined
  >({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => answerOf(call(pageParam, signal)),
    initialPageParam: undefined,
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval,
    ...(live && { meta: { live } }),
  });
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.data) ?? [], [query.data]);
  return {
    rows,
    isLoading: query.isPending && enabled,
    isStale: query.isPlaceholderData,
    failure: query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => {
      if (!query.isFetching) void query.fetchNextPage();
    },
    reload: () => void query.refetch(),
  };
}
