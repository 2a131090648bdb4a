import { Group, Loader, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { List } from '../api/use-list.ts';
import { MoreButton } from './more-button.tsx';

/** The end of the loaded rows: the next page on its way, a button that reads it, or the count of a complete list. */
export function DataListEnd<Row>({ list }: { list: List<Row> }): ReactNode {
  return (
    <Group justify="center" mih={40} px="md" py={6} gap="sm" c="dimmed" fz="sm">
      <EndText list={list} />
    </Group>
  );
}

function EndText<Row>({ list }: { list: List<Row> }): ReactNode {
  if (list.failure) return null;
  if (list.isLoadingMore) return <Loader size="xs" type="dots" aria-label="Loading more" />;
  if (list.hasMore) return <MoreButton list={list} />;
  return <Text size="sm">{`${(list.skipped + list.rows.length).toLocaleString()} in all`}</Text>;
}
