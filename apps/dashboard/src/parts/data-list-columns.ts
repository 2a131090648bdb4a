import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { List } from '../api/use-list.ts';

/** A column of a list. */
export interface Column<Row> {
  id: string;
  label: string;
  cell: (row: Row) => ReactNode;
  /** Width as a CSS grid track, `minmax(120px, 1fr)` by default. */
  width?: string;
  /** `end` for numbers. */
  align?: 'end';
  /** `shown` and `hidden` columns can be switched; the word is their first state. */
  optional?: 'shown' | 'hidden';
  /** Set for buttons: on a narrow window they come second, so that they are in view. */
  isAction?: true;
}

/** Page of a row. */
export type RowTarget = Pick<LinkProps, 'to' | 'params' | 'search'>;

/** Rows that are chosen for an action on several of them. */
export interface Selection {
  /** Keys of the chosen rows. */
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}

export interface DataListProps<Row> {
  /** Names the list for screen readers, and its choice of columns in the browser. */
  label: string;
  list: List<Row>;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  /** Page of a row; the whole row is then a link. */
  rowLink?: (row: Row) => RowTarget;
  /** State without rows. */
  empty: ReactNode;
  /** Filters, on the left of the choice of columns. */
  filters?: ReactNode;
  selection?: Selection;
}

const DEFAULT_WIDTH = 'minmax(120px, 1fr)';

/** Moves the buttons behind the first column. */
export function actionsFirst<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  const [first, ...rest] = columns;
  return first ? [first, ...rest.toSorted((a, b) => Number(b.isAction ?? 0) - Number(a.isAction ?? 0))] : [];
}

/** Returns the tracks of the grid of a list. */
export function gridOf<Row>(columns: readonly Column<Row>[], hasSelection: boolean): string {
  const tracks = columns.map(({ width }) => width ?? DEFAULT_WIDTH);
  return [...(hasSelection ? ['20px'] : []), ...tracks].join(' ');
}
