import { Skeleton } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { List } from '../api/use-list.ts';
import { type DataListProps, type Fit, type Selection, gridOf, rowPx } from './data-list-columns.ts';
import { DataListEnd } from './data-list-end.tsx';
import { DataListHead } from './data-list-head.tsx';
import { DataListRow } from './data-list-row.tsx';
import classes from './data-list.module.css';
import { HeldList } from './held-list.ts';

/** Rows that are drawn above and below those in view. */
const OVERSCAN = 6;
/** Rows of a whole list that stays live while it is scrolled: few rows of it come and go. */
const SHORT = 50;
/** Rows before the end at which the next page is read. */
const AHEAD = 20;

interface RowsProps<Row> extends Omit<DataListProps<Row>, 'columns' | 'empty' | 'filters' | 'onClear'> {
  fit: Fit<Row>;
}

/** Head and rows of a list, and what follows the last row. While it scrolls, only rows that come into view are drawn. */
export function DataListRows<Row>({
  label,
  list,
  fit,
  rowKey,
  rowLink,
  selection,
}: RowsProps<Row>): ReactNode {
  const { rows, skipped, hold } = list;
  const body = useRef<HTMLDivElement>(null);
  const grid = gridOf(fit, selection !== undefined);
  const { items, totalPx, topPx } = useVisible(body, list, fit);
  const isScrolled = skipped > 0 || (items[0]?.index ?? 0) > 0;
  const isShort = !list.hasMore && skipped + rows.length <= SHORT;
  const isHeld = (isScrolled && !isShort) || (selection?.chosen.size ?? 0) > 0;
  useEffect(() => (isHeld ? hold() : undefined), [isHeld, hold]);
  const keys = useMemo(() => rows.map(rowKey), [rows, rowKey]);
  const toggle = useToggle(selection);
  return (
    <HeldList value={hold}>
      <div
        role="table"
        aria-label={label}
        aria-rowcount={list.hasMore ? -1 : skipped + rows.length + 1}
        className={classes['grid']}
      >
        <DataListHead columns={fit.inLine} grid={grid} keys={keys} selection={selection} />
        <div
          ref={body}
          role="rowgroup"
          className={classes['body']}
          data-stale={list.isStale}
          style={{ height: totalPx }}
        >
          {items.map(({ index, start, size: heightPx }) => {
            const row = rows[index - skipped];
            const top = start - topPx;
            if (row === undefined) return <Unread key={`unread ${index}`} top={top} heightPx={heightPx} />;
            const id = keys[index - skipped]!;
            return (
              <DataListRow<Row>
                key={id}
                isChosen={selection?.chosen.has(id) ?? false}
                onToggle={toggle}
                {...{ row, id, index, top, heightPx, fit, grid, rowLink }}
              />
            );
          })}
        </div>
      </div>
      <DataListEnd list={list} />
    </HeldList>
  );
}

/** The place of a row that is read again. */
function Unread({ top, heightPx }: { top: number; heightPx: number }): ReactNode {
  const style = { height: heightPx, transform: `translateY(${top}px)` };
  return (
    <div className={classes['row']} style={style} aria-busy="true">
      <Skeleton height={14} radius="sm" m="auto 16px" />
    </div>
  );
}

/** Chooses a row or gives it up; the function stays the same while the list may be chosen from. */
function useToggle(selection: Selection | undefined): ((id: string) => void) | undefined {
  const latest = useRef(selection);
  useLayoutEffect(() => {
    latest.current = selection;
  });
  const toggle = useCallback((id: string) => {
    const chosen = new Set(latest.current?.chosen);
    if (!chosen.delete(id)) chosen.add(id);
    latest.current?.onChange(chosen);
  }, []);
  return selection && toggle;
}

/** Rows in view and near it; reads the page before or after the kept ones as its place comes near. */
function useVisible<Row>(body: RefObject<HTMLDivElement | null>, list: List<Row>, fit: Fit<Row>) {
  const shape = shapeOf(fit);
  const { rows, skipped, hasMore, isLoadingMore, failure, loadMore, loadBack } = list;
  const count = skipped + rows.length;
  const [topPx, setTopPx] = useState(0);
  useLayoutEffect(() => {
    if (body.current) setTopPx(body.current.getBoundingClientRect().top + window.scrollY);
  }, [body, count]);
  const heightOf = useHeight(list, fit);
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: heightOf,
    overscan: OVERSCAN,
    scrollMargin: topPx,
    useFlushSync: false,
  });
  useLayoutEffect(() => virtual.measure(), [virtual, shape, rows]);
  const items = virtual.getVirtualItems();
  // a column may show data of another answer, which can arrive after the rows
  const isOutgrown = items.some(({ index, size }) => size !== heightOf(index));
  useLayoutEffect(() => {
    if (isOutgrown) virtual.measure();
  }, [virtual, isOutgrown]);
  const firstIndex = items[0]?.index ?? count;
  const lastIndex = items.at(-1)?.index ?? 0;
  const isBack = useIsBack(skipped > 0);
  const isNearStart = isBack && skipped > 0 && firstIndex < skipped + AHEAD;
  const isNearEnd = lastIndex >= count - AHEAD;
  useEffect(() => {
    if (failure) return;
    if (isNearStart) loadBack(Math.min(firstIndex, skipped - 1));
    else if (isNearEnd && hasMore && !isLoadingMore) loadMore();
  }, [isNearStart, firstIndex, skipped, isNearEnd, hasMore, isLoadingMore, failure, loadMore, loadBack]);
  return { items, totalPx: virtual.getTotalSize(), topPx };
}

/**
 * False until the window is where the router scrolls it, for a list whose first page is not kept: the start of such a list
 * seems to be in view until then. The list learns of it in the next frame.
 */
function useIsBack(isCut: boolean): boolean {
  const [isBack, setIsBack] = useState(false);
  const isArrived = useRouterState({ select: ({ status }) => status === 'idle' });
  useEffect(() => {
    if (!isCut || !isArrived) return;
    const frame = requestAnimationFrame(() => setIsBack(true));
    return () => {
      cancelAnimationFrame(frame);
      setIsBack(false);
    };
  }, [isCut, isArrived]);
  return isBack;
}

/** Returns the height of a row by its place. Rows that are no longer kept keep theirs, so that none below them moves. */
function useHeight<Row>({ rows, skipped }: List<Row>, fit: Fit<Row>): (index: number) => number {
  const shape = shapeOf(fit);
  const { known } = useMemo(() => ({ shape, known: new Map<number, number>() }), [shape]);
  return (index) => {
    const row = rows[index - skipped];
    if (row !== undefined) known.set(index, rowPx(fit, row));
    return known.get(index) ?? rowPx(fit, undefined);
  };
}

/** The columns below the first line: rows of the same shape with the same contents have the same height. */
const shapeOf = <Row,>({ below }: Fit<Row>): string =>
  below.map((line) => line.map(({ id }) => id).join()).join(';');
