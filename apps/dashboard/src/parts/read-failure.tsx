import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { List } from '../api/use-list.ts';
import { FailureText } from './error-state.tsx';
import classes from './read-failure.module.css';

interface ReadFailureProps {
  list: Pick<List<unknown>, 'failure' | 'unread' | 'reload'>;
}

/** The failure of the last read of a list, in view wherever the list is scrolled to. It belongs below the list. */
export function ReadFailure({ list: { failure, unread, reload } }: ReadFailureProps): ReactNode {
  if (!failure || unread) return null;
  return (
    <Group justify="center" gap="sm" px="md" py={6} fz="sm" className={classes['failure']}>
      <FailureText failure={failure} />
      <Button variant="default" size="xs" onClick={reload}>
        Try again
      </Button>
    </Group>
  );
}
