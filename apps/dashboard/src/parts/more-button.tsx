import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { List } from '../api/use-list.ts';

interface PreviousButtonProps {
  list: Pick<List<unknown>, 'skipped' | 'isLoadingBack' | 'loadBack'>;
  /** `Show previous` by default. */
  label?: string;
}

/** A button that reads the page before the kept ones again; nothing at the start of a list. */
export function PreviousButton({ list, label = 'Show previous' }: PreviousButtonProps): ReactNode {
  if (list.skipped === 0) return null;
  return (
    <PageButton isBusy={list.isLoadingBack} onClick={() => list.loadBack(list.skipped - 1)}>
      {label}
    </PageButton>
  );
}

interface MoreButtonProps {
  list: Pick<List<unknown>, 'hasMore' | 'isLoadingMore' | 'loadMore'>;
  /** `Show more` by default. */
  label?: string;
}

/** A button that reads the next page of a list; nothing at its end. */
export function MoreButton({ list, label = 'Show more' }: MoreButtonProps): ReactNode {
  if (!list.hasMore) return null;
  return (
    <PageButton isBusy={list.isLoadingMore} onClick={list.loadMore}>
      {label}
    </PageButton>
  );
}

interface PageButtonProps {
  isBusy: boolean;
  onClick: () => void;
  children: string;
}

function PageButton({ isBusy, onClick, children }: PageButtonProps): ReactNode {
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      style={{ alignSelf: 'center', flexShrink: 0 }}
      loading={isBusy}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}
