import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { List } from '../api/use-list.ts';

interface MoreButtonProps {
  list: Pick<List<unknown>, 'hasMore' | 'isLoadingMore' | 'loadMore'>;
  /** `Show more` by default. */
  label?: string;
}

/** A button that reads the next page of a list; nothing at its end. */
export function MoreButton({ list, label = 'Show more' }: MoreButtonProps): ReactNode {
  if (!list.hasMore) return null;
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      style={{ alignSelf: 'center' }}
      loading={list.isLoadingMore}
      onClick={list.loadMore}
    >
      {label}
    </Button>
  );
}
