import type { ReactNode } from 'react';
import classes from './shell.module.css';
import { useSession } from './use-session.ts';

/** The account of the session. */
export function AccountSwitch(): ReactNode {
  const { accountName } = useSession();
  return <div className={classes['account']}>{accountName}</div>;
}
