import { useEffect, useState } from 'react';
import type { List } from '../api/use-list.ts';

/** Rows for a field that chooses among all rows of a list. */
interface Choices<Row> {
  rows: readonly Row[];
  /** Reads the pages that are not there yet, when the field is opened: it searches what is read. */
  readAll: () => void;
}

/** Offers the rows of a list, and the chosen one also while it is on a page that is not read. */
export function useChoices<Row extends { id: string }>(list: List<Row>, chosen?: Row): Choices<Row> {
  const { rows, hasMore, isLoadingMore, failure, loadMore } = list;
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    if (isWanted && hasMore && !isLoadingMore && !failure) loadMore();
  }, [isWanted, hasMore, isLoadingMore, failure, loadMore]);
  return {
    rows: chosen && !rows.some(({ id }) => id === chosen.id) ? [chosen, ...rows] : rows,
    readAll: () => {
      setWanted(true);
      if (failure && hasMore) loadMore();
    },
  };
}
