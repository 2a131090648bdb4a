import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type Table, rowSelectionFeature, tableFeatures, useTable } from '@tanstack/react-table';
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { List } from '../api/use-list.ts';
import { type Column, type DataListProps, type Selection, gridOf } from './data-list-columns.ts';
import { DataListEnd } from './data-list-end.tsx';
import { DataListHead } from './data-list-head.tsx';
import { DataListRow } from './data-list-row.tsx';
import classes from './data-list.module.css';

const FEATURES = tableFeatures({ rowSelectionFeature });
const ROW_HEIGHT = 42;
const MIN_COLUMN_PX = 110;
/** Rows before the end at which the next page is read. */
const AHEAD = 20;

type RowsProps<Row> = Omit<DataListProps<Row>, 'empty' | 'filters'>;

/** Head and rows of a list, and what follows the last row. */
export function DataListRows<Row>({
  label,
  list,
  columns,
  rowKey,
  rowLink,
  selection,
}: RowsProps<Row>): ReactNode {
  const table = useRows(list, columns, rowKey, selection);
  const body = useRef<HTMLDivElement>(null);
  const grid = gridOf(columns, selection !== undefined);
  const { items, totalPx, topPx } = useVisible(table.getRowModel().rows.length, body, list);
  const all = table.getRowModel().rows;
  return (
    <>
      <div
        role="table"
        aria-label={label}
        aria-rowcount={list.hasMore ? -1 : all.length + 1}
        className={classes['grid']}
        style={{ minWidth: columns.length * MIN_COLUMN_PX }}
      >
        <DataListHead columns={columns} grid={grid} keys={all.map(({ id }) => id)} selection={selection} />
        <div
          ref={body}
          role="rowgroup"
          className={classes['body']}
          data-stale={list.isStale}
          style={{ height: totalPx }}
        >
          {items.map((item) => (
            <DataListRow
              key={item.key}
              row={all[item.index]!.original}
              id={all[item.index]!.id}
              index={item.index}
              top={item.start - topPx}
              {...{ columns, grid, rowLink, selection }}
            />
          ))}
        </div>
      </div>
      <DataListEnd list={list} />
    </>
  );
}

function useRows<Row>(
  list: List<Row>,
  columns: readonly Column<Row>[],
  rowKey: (row: Row) => string,
  selection: Selection | undefined,
): Table<typeof FEATURES, Row & object> {
  const definitions = useMemo(() => columns.map(({ id, label }) => ({ id, header: label })), [columns]);
  const rowSelection = Object.fromEntries([...(selection?.chosen ?? [])].map((id) => [id, true as const]));
  return useTable({
    features: FEATURES,
    columns: definitions,
    data: list.rows as (Row & object)[],
    getRowId: rowKey,
    state: { rowSelection },
  }) as unknown as Table<typeof FEATURES, Row & object>;
}

/** Rows in view and near it; reads the next page as the end comes near. */
function useVisible<Row>(count: number, body: React.RefObject<HTMLDivElement | null>, list: List<Row>) {
  const [topPx, setTopPx] = useState(0);
  useLayoutEffect(() => {
    if (body.current) setTopPx(body.current.getBoundingClientRect().top + window.scrollY);
  }, [body, count]);
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    scrollMargin: topPx,
  });
  const items = virtual.getVirtualItems();
  const lastIndex = items.at(-1)?.index ?? 0;
  const isNearEnd = lastIndex >= count - AHEAD;
  const { hasMore, isLoadingMore, failure, loadMore } = list;
  useEffect(() => {
    if (isNearEnd && hasMore && !isLoadingMore && !failure) loadMore();
  }, [isNearEnd, hasMore, isLoadingMore, failure, loadMore]);
  return { items, totalPx: virtual.getTotalSize(), topPx };
}
