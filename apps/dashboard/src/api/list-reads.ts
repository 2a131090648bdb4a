import type { InfiniteQueryObserverResult, QueryClient } from '@tanstack/react-query';
import type { ApiFailure } from './failure.ts';
import { type ListPages, endsUnread, firstPlace, placeBack, unreadAt } from './list-place.ts';

type Reader<Row> = Pick<
  InfiniteQueryObserverResult<ListPages<Row>, ApiFailure>,
  'refetch' | 'fetchNextPage' | 'fetchPreviousPage'
>;

/** Reads of further pages. */
export interface ListReads {
  loadMore: () => Promise<void>;
  loadBack: (row: number) => Promise<void>;
  /** Repeats the read that failed. */
  reload: () => Promise<void>;
}

/**
 * Reads pages around those of a list. A read waits for one that is under way, and does nothing when the list shows
 * another filter by then.
 *
 * @param reader reads what the list shows, which may be of another key by the time of the read
 */
export function listReads<Row>(
  queries: QueryClient,
  key: readonly unknown[],
  reader: Reader<Row>,
): ListReads {
  // The state of the query, not of the last render: a click may come between the two.
  const isReading = (direction?: 'forward' | 'backward'): boolean => {
    const { fetchStatus, fetchMeta } = queries.getQueryState(key) ?? {};
    return fetchStatus === 'fetching' && (!direction || fetchMeta?.fetchMore?.direction === direction);
  };
  /** Waits for the read under way. @returns true while the list still shows the key */
  const untilRead = async (): Promise<boolean> => {
    while (isReading()) await reader.refetch({ cancelRefetch: false });
    return queries.getQueryCache().find({ queryKey: key })?.isActive() ?? false;
  };
  const loadMore = async (): Promise<void> => {
    if (isReading('forward') || !(await untilRead())) return;
    // a page that could not be read is not there yet: read it before the one after it
    if (endsUnread(queries.getQueryData<ListPages<Row>>(key))) await reader.refetch({ cancelRefetch: false });
    else await reader.fetchNextPage({ cancelRefetch: false });
  };
  return {
    loadMore,
    loadBack: async (row) => {
      if (isReading('backward') || !(await untilRead())) return;
      const first = firstPlace(queries.getQueryData<ListPages<Row>>(key));
      const place = placeBack(first, row);
      if (place === first) return;
      if (place === first.previous) return void reader.fetchPreviousPage({ cancelRefetch: false });
      // far from the kept pages: begin there
      queries.setQueryData<ListPages<Row>>(key, unreadAt(place));
      void reader.refetch();
    },
    reload: async () => {
      const direction = queries.getQueryState(key)?.fetchMeta?.fetchMore?.direction;
      if (direction === 'forward') await loadMore();
      else if (direction === 'backward') await reader.fetchPreviousPage({ cancelRefetch: false });
      else await reader.refetch();
    },
  };
}
