import { Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, memo } from 'react';
import type { Column, RowTarget } from './data-list-columns.ts';
import classes from './data-list.module.css';

interface RowProps<Row> {
  row: Row;
  id: string;
  index: number;
  /** Pixels from the top of the list. */
  top: number;
  columns: readonly Column<Row>[];
  grid: string;
  rowLink: ((row: Row) => RowTarget) | undefined;
  isChosen: boolean;
  /** Undefined where rows are not chosen. */
  onToggle: ((id: string) => void) | undefined;
}

function PlainRow<Row>({
  row,
  id,
  index,
  top,
  columns,
  grid,
  rowLink,
  isChosen,
  onToggle,
}: RowProps<Row>): ReactNode {
  const target = rowLink?.(row);
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes['row']}
      style={{ gridTemplateColumns: grid, transform: `translateY(${top}px)` }}
    >
      {onToggle && (
        <div role="cell" className={classes['cell']}>
          <Checkbox size="xs" aria-label={`Choose ${id}`} checked={isChosen} onChange={() => onToggle(id)} />
        </div>
      )}
      {columns.map((column, place) => (
        <Cell key={column.id} column={column} row={row} target={place === 0 ? target : undefined} />
      ))}
    </div>
  );
}

interface CellProps<Row> {
  column: Column<Row>;
  row: Row;
  /** The page of the row, in its first cell. */
  target: RowTarget | undefined;
}

/** A cell; a text that does not fit is its tooltip, too. */
function Cell<Row>({ column, row, target }: CellProps<Row>): ReactNode {
  const content = column.cell(row);
  return (
    <div
      role="cell"
      className={`${classes['cell']} ${column.align === 'end' ? classes['end'] : ''}`}
      {...(typeof content === 'string' && { title: content })}
    >
      {target ? (
        <Link {...target} className={classes['link']!}>
          {content}
        </Link>
      ) : (
        content
      )}
    </div>
  );
}

/**
 * A row of a list, drawn again only when one of its properties changes. The link of its first cell covers it; controls of
 * its cells lie above the link.
 */
export const DataListRow = memo(PlainRow) as typeof PlainRow;
