import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { List } from '../api/use-list.ts';

/** A column of a list. */
export interface Column<Row> {
  id: string;
  label: string;
  cell: (row: Row) => ReactNode;
  /** Width as a CSS grid track, `minmax(120px, 1fr)` by default. Its first length is the minimum width of the column. */
  width?: string;
  /** `end` for numbers. */
  align?: 'end';
  /** `shown` and `hidden` columns can be switched; the word is their first state. They are the first to move below. */
  optional?: 'shown' | 'hidden';
  /** Set for buttons: they stay in line as long as they fit after the first column. */
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
  /** Ends all filters; undefined while there is none. */
  onClear?: (() => void) | undefined;
  selection?: Selection;
}

/** Columns of a list, arranged for its width. */
export interface Fit<Row> {
  /** Columns side by side, under their headings. */
  inLine: readonly Column<Row>[];
  /** The others, in lines below them, each with its label. */
  below: readonly (readonly Column<Row>[])[];
}

const DEFAULT_WIDTH = 'minmax(120px, 1fr)';
/** Pixels as in data-list.module.css. */
const SIDE = 16;
const GAP = 14;
const BOX = 20;
const FIRST_LINE = 42;
const LINE = 28;
const END = 4;
/** Pixels of a character of a label, at most. */
const CHARACTER = 7.5;

/**
 * Moves columns below the first line until the others fit: the optional ones from the right, then the others from the
 * right. The first column stays, and buttons stay in line where they fit after it.
 */
export function fitColumns<Row>(
  columns: readonly Column<Row>[],
  widthPx: number,
  hasSelection: boolean,
): Fit<Row> {
  const roomPx = widthPx - 2 * SIDE - (hasSelection ? BOX + GAP : 0);
  const moved = new Set<Column<Row>>();
  for (const column of movableOf(columns, roomPx)) {
    if (placePx(columns.filter((each) => !moved.has(each)).map(leastPx)) <= roomPx) break;
    moved.add(column);
  }
  return {
    inLine: columns.filter((each) => !moved.has(each)),
    below: linesOf(
      columns.filter((each) => moved.has(each)),
      roomPx,
    ),
  };
}

/** Columns in the order in which they move below. */
function movableOf<Row>(columns: readonly Column<Row>[], roomPx: number): Column<Row>[] {
  const [first, ...rest] = columns;
  const fromRight = rest.toReversed();
  const actions = fromRight.filter(({ isAction }) => isAction);
  const others = fromRight.filter(({ isAction }) => !isAction);
  const haveRoom = !first || placePx([first, ...actions].map(leastPx)) <= roomPx;
  return [
    ...(haveRoom ? [] : actions),
    ...others.filter(({ optional }) => optional),
    ...others.filter(({ optional }) => !optional),
  ];
}

/** Fills lines with columns in their order. */
function linesOf<Row>(columns: readonly Column<Row>[], roomPx: number): Column<Row>[][] {
  const lines: Column<Row>[][] = [];
  for (const column of columns) {
    const line = lines.at(-1);
    if (line && placePx([...line, column].map(labelledPx)) <= roomPx) line.push(column);
    else lines.push([column]);
  }
  return lines;
}

function placePx(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + length, 0) + GAP * (lengths.length - 1);
}

function leastPx<Row>({ width = DEFAULT_WIDTH }: Column<Row>): number {
  return Number(/\d+/.exec(width)?.[0]);
}

/** Minimum width of a column below the first line, with its label. */
export function labelledPx<Row>(column: Column<Row>): number {
  return Math.ceil(leastPx(column) + (column.isAction ? 0 : CHARACTER * column.label.length));
}

/** Returns the columns below the first line of a row that have a content, in their lines. */
export function filledLines<Row>({ below }: Fit<Row>, row: Row): Column<Row>[][] {
  const lines = below.map((columns) => columns.filter((column) => !isBlank(column.cell(row))));
  return lines.filter((columns) => columns.length > 0);
}

/** A dash stands for a content that a row does not have. */
function isBlank(content: ReactNode): boolean {
  return content === null || content === undefined || content === '' || content === '–';
}

/** Height of a row; of one that is not read, that of a row without blank contents. */
export function rowPx<Row>(fit: Fit<Row>, row: Row | undefined): number {
  const lines = row === undefined ? fit.below.length : filledLines(fit, row).length;
  return FIRST_LINE + (lines > 0 ? lines * LINE + END : 0);
}

/** Returns the tracks of the grid of a list. Where they would not fill it, the first one grows. */
export function gridOf<Row>({ inLine }: Fit<Row>, hasSelection: boolean): string {
  const tracks = inLine.map(({ width = DEFAULT_WIDTH }) => width);
  const shares = tracks.map((track) => Number(/([\d.]+)fr/.exec(track)?.[1] ?? 0));
  const isFilled = shares.reduce((sum, share) => sum + share, 0) >= 1;
  const first = inLine[0] && !isFilled ? [`minmax(${leastPx(inLine[0])}px, 1fr)`] : tracks.slice(0, 1);
  return [...(hasSelection ? [`${BOX}px`] : []), ...first, ...tracks.slice(1)].join(' ');
}
