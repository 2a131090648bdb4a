import { Group, Skeleton, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useMemo, useRef } from 'react';
import { ColumnChoice } from './column-choice.tsx';
import { DataListRows } from './data-list-rows.tsx';
import classes from './data-list.module.css';
import { type DataListProps, actionsFirst } from './data-list-columns.ts';
import { ErrorState } from './error-state.tsx';
import { useOverflow } from './use-overflow.ts';
import { useColumnChoice } from './use-column-choice.ts';

/** As in data-list.module.css. */
const NARROW = '(max-width: 36em)';

/**
 * A list that reads its next page as its end comes into view, and keeps only visible rows in the page. It designs its own
 * loading, error and end states.
 */
export function DataList<Row>(props: DataListProps<Row>): ReactNode {
  const { label, columns, filters, list } = props;
  const hasRows = list.isLoading || list.rows.length > 0;
  const choice = useColumnChoice(label, columns);
  const isChoosable = columns.some((column) => column.optional);
  return (
    <Stack gap="sm">
      {(filters !== undefined || (hasRows && isChoosable)) && (
        <Group justify="space-between" align="flex-end" gap="sm">
          <Group gap="xs" flex={1} miw={0} className={classes['filters']}>
            {filters}
          </Group>
          {hasRows && isChoosable && <ColumnChoice columns={columns} choice={choice} />}
        </Group>
      )}
      <Frame label={label}>
        <Content {...props} hidden={choice.hidden} />
      </Frame>
    </Stack>
  );
}

/** Scrolls sideways where its window is narrow, also by keyboard. */
function Frame({ label, children }: { label: string; children: ReactNode }): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const scrolls = useOverflow(frame) && { tabIndex: 0, role: 'region', 'aria-label': label };
  return (
    <div ref={frame} className={classes['frame']} {...scrolls}>
      {children}
    </div>
  );
}

function Content<Row>({
  hidden,
  list,
  empty,
  columns,
  ...rest
}: DataListProps<Row> & { hidden: ReadonlySet<string> }): ReactNode {
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  const shown = useMemo(() => {
    const chosen = columns.filter((column) => !hidden.has(column.id));
    return isNarrow ? actionsFirst(chosen) : chosen;
  }, [columns, hidden, isNarrow]);
  if (list.isLoading) return <Loading />;
  if (list.unread) return <ErrorState failure={list.unread} onRetry={list.reload} />;
  if (list.rows.length === 0 && !list.hasMore) return empty;
  return <DataListRows {...rest} list={list} columns={shown} />;
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
