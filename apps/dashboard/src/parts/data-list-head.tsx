import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Column, Selection } from './data-list-columns.ts';
import classes from './data-list.module.css';

interface HeadProps<Row> {
  columns: readonly Column<Row>[];
  grid: string;
  /** Keys of all loaded rows. */
  keys: readonly string[];
  selection: Selection | undefined;
}

/** Names of the columns, and the box that chooses all loaded rows. */
export function DataListHead<Row>({ columns, grid, keys, selection }: HeadProps<Row>): ReactNode {
  return (
    <div role="rowgroup">
      <div role="row" className={classes['head']} style={{ gridTemplateColumns: grid }}>
        {selection && (
          <div role="columnheader">
            <ChooseAll keys={keys} selection={selection} />
          </div>
        )}
        {columns.map(({ id, label, align }) => (
          <div key={id} role="columnheader" className={align === 'end' ? classes['end']! : ''}>
            {label}
          </div>
        ))}
      </div>
    </div>
  );
}

function ChooseAll({ keys, selection }: { keys: readonly string[]; selection: Selection }): ReactNode {
  const isAll = keys.length > 0 && keys.every((key) => selection.chosen.has(key));
  return (
    <Checkbox
      size="xs"
      aria-label="Choose all loaded rows"
      checked={isAll}
      indeterminate={!isAll && selection.chosen.size > 0}
      onChange={() => selection.onChange(new Set(isAll ? [] : keys))}
    />
  );
}
