import { Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type MouseEvent, type ReactNode, memo } from 'react';
import { type Column, type Fit, type RowTarget, filledLines, labelledPx } from './data-list-columns.ts';
import classes from './data-list.module.css';
import folded from './folded-rows.module.css';

interface RowProps<Row> {
  row: Row;
  id: string;
  index: number;
  /** Pixels from the top of the list. */
  top: number;
  heightPx: number;
  fit: Fit<Row>;
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
  heightPx,
  fit,
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
      onMouseMove={showCutText}
      style={{ gridTemplateColumns: grid, height: heightPx, transform: `translateY(${top}px)` }}
    >
      {onToggle && (
        <div role="cell" className={classes['cell']}>
          <Checkbox size="xs" aria-label={`Choose ${id}`} checked={isChosen} onChange={() => onToggle(id)} />
        </div>
      )}
      {fit.inLine.map((column, place) => (
        <Cell key={column.id} column={column} row={row} target={place === 0 ? target : undefined} />
      ))}
      {filledLines(fit, row).map((columns) => (
        <Line key={columns[0]!.id} columns={columns} row={row} isIndented={onToggle !== undefined} />
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

function Cell<Row>({ column, row, target }: CellProps<Row>): ReactNode {
  const content = column.cell(row);
  return (
    <div
      role="cell"
      dir="auto"
      className={`${classes['cell']} ${column.align === 'end' ? classes['end'] : ''}`}
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

interface LineProps<Row> {
  columns: readonly Column<Row>[];
  row: Row;
  /** True where the first line begins with the box that chooses the row. */
  isIndented: boolean;
}

/** Columns of a line below the first one, each with its label. */
function Line<Row>({ columns, row, isIndented }: LineProps<Row>): ReactNode {
  return (
    <div role="cell" className={classes['line']} style={{ gridColumn: `${isIndented ? 2 : 1} / -1` }}>
      {columns.map((column) => (
        <div key={column.id} className={folded['labelled']} style={{ flexBasis: labelledPx(column) }}>
          {!column.isAction && <span className={folded['label']}>{column.label}</span>}
          <div dir="auto" className={classes['cell']}>
            {column.cell(row)}
          </div>
        </div>
      ))}
    </div>
  );
}

/** Makes the cut text under the pointer the tooltip of the row, whose link covers its cells. */
function showCutText({ currentTarget: row, clientX, clientY }: MouseEvent<HTMLElement>): void {
  const cell = document
    .elementsFromPoint(clientX, clientY)
    .find((each): each is HTMLElement => each.matches(`.${classes['cell']}`));
  const isCut =
    cell && [cell, ...cell.querySelectorAll('*')].some((each) => each.scrollWidth > each.clientWidth + 1);
  row.title = isCut ? cell.innerText : '';
}

/**
 * A row of a list, drawn again only when one of its properties changes. The link of its first cell covers it; controls of
 * its cells lie above the link.
 */
export const DataListRow = memo(PlainRow) as typeof PlainRow;
