import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { type ReactNode, useMemo, useRef } from 'react';
import { ColumnChoice } from './column-choice.tsx';
import { DataListRows } from './data-list-rows.tsx';
import classes from './data-list.module.css';
import { type DataListProps, fitColumns } from './data-list-columns.ts';
import { ErrorState } from './error-state.tsx';
import { ReadFailure } from './read-failure.tsx';
import { type ColumnChoiceState, useColumnChoice } from './use-column-choice.ts';
import { useWidth } from './use-width.ts';

/**
 * A list that reads its next page as its end comes into view, and keeps only visible rows in the page. Columns without
 * place move below the first line of their row. It designs its own loading, error and end states.
 */
export function DataList<Row>(props: DataListProps<Row>): ReactNode {
  const { label, list, columns } = props;
  const choice = useColumnChoice(label, columns);
  const frame = useRef<HTMLDivElement>(null);
  const widthPx = useWidth(frame);
  return (
    <Stack gap="sm">
      <Bar {...props} choice={choice} />
      <div ref={frame} className={classes['frame']}>
        <Content {...props} hidden={choice.hidden} widthPx={widthPx} />
      </div>
      <ReadFailure list={list} />
    </Stack>
  );
}

interface BarProps<Row> extends DataListProps<Row> {
  choice: ColumnChoiceState;
}

/** Filters on the left; on the right the button that ends them, and the choice of columns. */
function Bar<Row>({ columns, list, filters, onClear, choice }: BarProps<Row>): ReactNode {
  const hasRows = list.isLoading || list.rows.length > 0;
  const isChoosable = hasRows && columns.some((column) => column.optional);
  const group = useRef<HTMLDivElement>(null);
  const hasNothing = filters === undefined && !isChoosable;
  if (hasNothing || list.unread?.isForbidden) return null;
  return (
    <Group justify="space-between" align="flex-end" gap="sm">
      <Group ref={group} tabIndex={-1} gap="xs" flex={1} miw={0} className={classes['filters']}>
        {filters}
      </Group>
      {(onClear || isChoosable) && (
        <Group gap="xs" wrap="nowrap">
          {onClear && (
            <Button
              variant="subtle"
              onClick={() => {
                onClear();
                // the button goes with the filters: the next Tab leads to the first of them
                group.current?.focus();
              }}
            >
              Clear filters
            </Button>
          )}
          {isChoosable && <ColumnChoice columns={columns} choice={choice} />}
        </Group>
      )}
    </Group>
  );
}

interface ContentProps<Row> extends Omit<DataListProps<Row>, 'filters' | 'onClear'> {
  hidden: ReadonlySet<string>;
  widthPx: number;
}

function Content<Row>({ hidden, widthPx, list, empty, columns, ...rest }: ContentProps<Row>): ReactNode {
  const hasSelection = rest.selection !== undefined;
  const fit = useMemo(() => {
    const shown = columns.filter((column) => !hidden.has(column.id));
    return fitColumns(shown, widthPx, hasSelection);
  }, [columns, hidden, widthPx, hasSelection]);
  if (list.isLoading) return <Loading />;
  if (list.unread) return <ErrorState failure={list.unread} onRetry={list.reload} />;
  if (list.rows.length === 0 && !list.hasMore) return empty;
  return <DataListRows {...rest} list={list} fit={fit} />;
}

function Loading(): ReactNode {
  return (
    <Stack gap={10} p="md" aria-busy="true" aria-label="Loading">
      {Array.from({ length: 8 }, (_, i) => (
        <Skeleton key={i} height={18} radius="sm" />
      ))}
    </Stack>
  );
}
