import { Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, Suspense, lazy, useState } from 'react';
import classes from './shell.module.css';
import { TypeAhead } from './type-ahead.ts';

const Panel = lazy(async () => ({ default: (await import('./search-panel.tsx')).SearchPanel }));

/**
 * The search of the header: ⌘K opens it from anywhere, `/` outside of fields. Its code is loaded when it is first opened;
 * characters that are typed meanwhile are kept.
 */
export function Search(): ReactNode {
  const [openings, setOpenings] = useState(0);
  const [typed] = useState(() => new TypeAhead());
  const open = () => {
    typed.begin();
    setOpenings((count) => count + 1);
  };
  useHotkeys([['/', open]]);
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <button type="button" className={classes['search']} onClick={open}>
        <IconSearch size={16} stroke={1.8} />
        <span>Search a number, an id or a page</span>
        <Kbd size="xs" visibleFrom="sm" aria-hidden>
          /
        </Kbd>
      </button>
      {openings > 0 && (
        <Suspense>
          <Panel openings={openings} typed={typed} />
        </Suspense>
      )}
    </>
  );
}
