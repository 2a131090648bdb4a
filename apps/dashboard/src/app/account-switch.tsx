import { Box, Select } from '@mantine/core';
import { chooseAccount } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAct } from '../api/use-act.ts';
import classes from './shell.module.css';
import { useSession } from './use-session.ts';

/** The account of the session, and the choice of another one. */
export function AccountSwitch(): ReactNode {
  const { accountId, accountName, accounts } = useSession();
  const { mutate } = useAct((id: string) => chooseAccount({ body: { accountId: id } }));
  if (accounts.length < 2) return <div className={classes['account']}>{accountName}</div>;
  const open = (id: string | null) => {
    // A full load: nothing of the other account stays in memory.
    if (id && id !== accountId)
      mutate(id, { onSuccess: () => window.location.assign(import.meta.env.BASE_URL) });
  };
  return (
    <Box px={12} pb={4}>
      <Select
        aria-label="Account"
        searchable
        allowDeselect={false}
        maxDropdownHeight={320}
        data={accounts.map(({ id, name }) => ({ value: id, label: name }))}
        value={accountId}
        onChange={open}
        nothingFoundMessage="No such account"
      />
    </Box>
  );
}
