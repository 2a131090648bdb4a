import { useLocalStorage } from '@mantine/hooks';
import { useMemo } from 'react';
import type { Column } from './data-list-columns.ts';

/** Columns that a person hid, kept in the browser. */
export interface ColumnChoiceState {
  hidden: ReadonlySet<string>;
  toggle: (id: string) => void;
}

/** Keeps the choice of columns of a list by its label. */
export function useColumnChoice<Row>(label: string, columns: readonly Column<Row>[]): ColumnChoiceState {
  const [switched, setSwitched] = useLocalStorage<readonly string[]>({
    key: `signalbox-columns-${label}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const hidden = useMemo(() => hiddenOf(columns, new Set(switched)), [columns, switched]);
  const toggle = (id: string) =>
    setSwitched((previous) =>
      previous.includes(id) ? previous.filter((each) => each !== id) : [...previous, id],
    );
  return { hidden, toggle };
}

function hiddenOf<Row>(columns: readonly Column<Row>[], switched: ReadonlySet<string>): ReadonlySet<string> {
  const hidden = columns.filter(
    ({ id, optional }) => optional !== undefined && (optional === 'hidden') !== switched.has(id),
  );
  return new Set(hidden.map(({ id }) => id));
}
