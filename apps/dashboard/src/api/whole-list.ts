import type { UseQueryResult } from '@tanstack/react-query';
import type { ApiFailure } from './failure.ts';
import type { List } from './use-list.ts';

/** Shows an answer that is a whole list as a list without further pages. @param rows those of the answer, or a part */
export function wholeList<Row>(
  { isPending, error, refetch }: UseQueryResult<unknown, ApiFailure>,
  rows: readonly Row[],
): List<Row> {
  return {
    rows,
    isLoading: isPending,
    isStale: false,
    failure: error,
    hasMore: false,
    isLoadingMore: false,
    loadMore: () => undefined,
    reload: () => void refetch(),
  };
}
