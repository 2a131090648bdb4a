import { Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Column, RowTarget, Selection } from './data-list-columns.ts';
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
  selection: Selection | undefined;
}

/** A row of a list. The link of its first cell covers it; controls of its cells lie above the link. */
export function DataListRow<Row>({
  row,
  id,
  index,
  top,
  columns,
  grid,
  rowLink,
  selection,
}: RowProps<Row>): ReactNode {
  const target = rowLink?.(row);
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes['row']}
      style={{ gridTemplateColumns: grid, transform: `translateY(${top}px)` }}
    >
      {selection && (
        <div role="cell" className={classes['cell']}>
          <ChooseOne id={id} selection={selection} />
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

function ChooseOne({ id, selection }: { id: string; selection: Selection }): ReactNode {
  const toggle = () => {
    const chosen = new Set(selection.chosen);
    if (!chosen.delete(id)) chosen.add(id);
    selection.onChange(chosen);
  };
  return (
    <Checkbox size="xs" aria-label={`Choose ${id}`} checked={selection.chosen.has(id)} onChange={toggle} />
  );
}
