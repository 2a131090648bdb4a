import { Kbd } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './shell.module.css';

/** The search of the header. */
export function Search(): ReactNode {
  return (
    <button type="button" className={classes['search']}>
      <IconSearch size={16} stroke={1.8} />
      <span>Search a number, a message or a page</span>
      <Kbd size="xs">/</Kbd>
    </button>
  );
}
