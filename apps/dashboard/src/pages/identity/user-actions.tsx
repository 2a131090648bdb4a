import { Group, Text } from '@mantine/core';
import { type User, changeUser, createSignInLink, deleteUser, resetUserTotp } from '@signalbox/client';
import { LINK_MINUTES } from '@signalbox/domain/sign-in-link';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useMay, useSession } from '../../app/use-session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { SwitchButton } from '../../parts/switch-button.tsx';
import type { SignInLink } from './sign-in-link.ts';
import { WORDS } from './words.ts';

const CHANGES = { changes: ['users'] };

interface UserActionsProps {
  user: User;
  /** Called with a new sign-in link. */
  onLink: (link: SignInLink) => void;
}

/** Acts on another user; nobody locks themselves out. */
export function UserActions({ user, onLink }: UserActionsProps): ReactNode {
  const isOwn = useSession().id === user.id;
  const mayWrite = useMay('manage');
  if (isOwn)
    return (
      <Text size="xs" c="dimmed">
        {WORDS.users.you}
      </Text>
    );
  if (!mayWrite) return null;
  return (
    <Group gap={6} wrap="nowrap">
      <NewLink user={user} onLink={onLink} />
      {user.hasTotp && <ResetFactor user={user} />}
      <Access user={user} />
      <Remove user={user} />
    </Group>
  );
}

function NewLink({ user: { id, name }, onLink }: UserActionsProps): ReactNode {
  const link = useAct(() => createSignInLink({ path: { id } }), CHANGES);
  const lifetime = `${LINK_MINUTES} minutes`;
  const confirm = async () => {
    const { linkToken: token } = (await link.mutateAsync()).data;
    onLink({ token, name, lifetime });
  };
  return (
    <ConfirmButton
      size="compact-sm"
      question={`Reset the password of ${name}?`}
      consequence={`The user is signed out. You get a link that signs in once, for ${lifetime}.`}
      onConfirm={confirm}
    >
      New link
    </ConfirmButton>
  );
}

function ResetFactor({ user: { id, name } }: { user: User }): ReactNode {
  const done = 'The second factor was removed.';
  const reset = useAct(() => resetUserTotp({ path: { id } }), { ...CHANGES, done });
  return (
    <ConfirmButton
      size="compact-sm"
      question={`Remove the second factor of ${name}?`}
      consequence="The user is signed out, and signs in with the password alone."
      onConfirm={() => reset.mutateAsync()}
    >
      Reset factor
    </ConfirmButton>
  );
}

function Access({ user: { id, name, status } }: { user: User }): ReactNode {
  const change = useAct((disabled: boolean) => changeUser({ path: { id }, body: { disabled } }), CHANGES);
  return (
    <SwitchButton
      size="compact-sm"
      isOn={status !== 'disabled'}
      verbs={{ on: 'Enable', off: 'Disable' }}
      question={`Disable ${name}?`}
      consequence="The user is signed out, and cannot open this account until you enable them."
      onTurnOn={() => change.mutateAsync(false)}
      onTurnOff={() => change.mutateAsync(true)}
    />
  );
}

function Remove({ user: { id, name } }: { user: User }): ReactNode {
  const remove = useAct(() => deleteUser({ path: { id } }), { ...CHANGES, done: 'The user was removed.' });
  return (
    <ConfirmButton
      size="compact-sm"
      question={`Remove ${name} from the account?`}
      consequence="The user is signed out, and loses this account."
      onConfirm={() => remove.mutateAsync()}
    >
      Remove
    </ConfirmButton>
  );
}
