import { Alert, Button, Divider } from '@mantine/core';
import { getSignInOptions } from '@signalbox/client';
import { IconAlertCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAnswer } from '../api/use-answer.ts';
import { type SignInReason, WORDS } from './sign-in-words.ts';

interface SignInProviderProps {
  /** Path to open afterwards. */
  next: string | undefined;
  /** Reason for which the last sign-in failed. */
  problem?: SignInReason | undefined;
  /** Leaves the page as it is, and signs in in another tab. */
  opensTab?: boolean;
}

/** The button that leads to the identity provider, where one is configured. */
export function SignInProvider({ next, problem, opensTab = false }: SignInProviderProps): ReactNode {
  const { data } = useAnswer(['sign-in-options'], (signal) => getSignInOptions({ signal }));
  const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`;
  return (
    <>
      {problem !== undefined && (
        <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
          {WORDS.problems[problem]}
        </Alert>
      )}
      {data?.identityProvider && (
        <>
          <Button
            component="a"
            href={`/oidc/sign-in${query}`}
            variant="default"
            {...(opensTab && { target: '_blank', rel: 'noreferrer' })}
          >
            {WORDS.provider(data.identityProviderName)}
          </Button>
          <Divider label={WORDS.or} />
        </>
      )}
    </>
  );
}
