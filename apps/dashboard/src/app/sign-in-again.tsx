import { Anchor, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useLayoutEffect } from 'react';
import { resumePage } from '../api/me.ts';
import { HEARTBEAT } from '../api/outage.ts';
import { queries } from '../api/queries.ts';
import { sessionHasEnded, useLastSessionEnd, useSessionEnd } from '../api/session-end.ts';
import { SignInForm } from './sign-in-form.tsx';
import { SignInProvider } from './sign-in-provider.tsx';
import { useSession } from './use-session.ts';

/** Above every other dialog. */
const Z_INDEX = 500;

/** Asks for a sign-in over the page when it has lost its session, and keeps the page with what was typed. */
export function SignInAgain(): ReactNode {
  const hasEnded = useSessionEnd();
  useLayoutEffect(() => {
    window.addEventListener('keydown', keepDialogs, { capture: true });
    return () => window.removeEventListener('keydown', keepDialogs, { capture: true });
  }, []);
  return (
    <Modal
      opened={hasEnded}
      onClose={() => {}}
      title="Sign in again"
      centered
      withCloseButton={false}
      closeOnClickOutside={false}
      overlayProps={{ blur: 12 }}
      zIndex={Z_INDEX}
    >
      <Content />
    </Modal>
  );
}

const REASONS = {
  ended: 'Your session has ended.',
  replaced: 'Another user has signed in in this browser.',
} as const;

function Content(): ReactNode {
  const session = useSession();
  const reason = REASONS[useLastSessionEnd()];
  useEffect(() => {
    window.addEventListener('focus', lookAgain);
    return () => window.removeEventListener('focus', lookAgain);
  }, []);
  return (
    <Stack>
      <Text>{reason} The page keeps what you typed: sign in, then save it again.</Text>
      <SignInProvider next={undefined} opensTab />
      <SignInForm email={session.email ?? ''} onSignedIn={() => resumePage(session)} />
      <Text size="sm" c="dimmed">
        You can also sign in in another tab, and come back.
      </Text>
      <Anchor size="sm" href={`${import.meta.env.BASE_URL}sign-in`}>
        Sign in as another user
      </Anchor>
    </Stack>
  );
}

/** The user may have signed in in another tab. */
function lookAgain(): void {
  void queries.invalidateQueries({ queryKey: HEARTBEAT });
}

/** Escape would close the dialogs below. */
function keepDialogs(event: KeyboardEvent): void {
  if (event.key === 'Escape' && sessionHasEnded()) event.stopImmediatePropagation();
}
