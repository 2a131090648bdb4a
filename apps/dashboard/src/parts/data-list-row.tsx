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
        <div
          key={column.id}
          role="cell"
          className={`${classes['cell']} ${column.align === 'end' ? classes['end'] : ''}`}
        >
          {place === 0 && target ? (
            <Link {...target} className={classes['link']!}>
              {column.cell(row)}
            </Link>
          ) : (
            column.cell(row)
          )}
        </div>
      ))}
    </div>
  );
}

/**
 * A row of a list, drawn again only when one of its properties changes. The link of its first cell covers it; controls of
 * its cells lie above the link.
 */
export const DataListRow = memo(PlainRow) as typeof PlainRow;
