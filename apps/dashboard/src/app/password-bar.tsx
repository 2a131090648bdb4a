import { getSignInOptions } from '@signalbox/client';
import { IconKey } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAnswer } from '../api/use-answer.ts';
import { NoticeLink } from '../parts/links.tsx';
import classes from './shell.module.css';
import { useSession } from './use-session.ts';

/** A bar above the page of a user who came by a link, and has neither a password nor an identity provider. */
export function PasswordBar(): ReactNode {
  const { hasPassword } = useSession();
  const options = useAnswer(['sign-in-options'], (signal) => getSignInOptions({ signal }), {
    enabled: !hasPassword,
  });
  if (hasPassword || options.data?.identityProvider !== false) return null;
  return (
    <div role="note" className={classes['bar']}>
      <IconKey size={17} stroke={1.8} aria-hidden />
      <span>
        Your sign-in link worked once. <NoticeLink to="/profile">Set a password</NoticeLink> to sign in again.
      </span>
    </div>
  );
}
