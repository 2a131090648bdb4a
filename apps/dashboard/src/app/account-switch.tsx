import { Box, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './shell.module.css';
import { useSession } from './use-session.ts';
import { useSwitchAccount } from './use-switch-account.ts';

/** The account of the session, and the choice of another one. */
export function AccountSwitch(): ReactNode {
  const { accountId, accountName, accounts } = useSession();
  const switchTo = useSwitchAccount();
  if (accounts.length < 2) return <div className={classes['account']}>{accountName}</div>;
  return (
    <Box px={12} pb={4}>
      <Select
        aria-label="Account"
        searchable
        allowDeselect={false}
        maxDropdownHeight={320}
        data={accounts.map(({ id, name }) => ({ value: id, label: name }))}
        value={accountId}
        onChange={(id) => id && id !== accountId && void switchTo(id)}
        nothingFoundMessage="No such account"
      />
    </Box>
  );
}
