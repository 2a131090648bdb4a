import { Group, Text } from '@mantine/core';
import { type Account, changeAccount } from '@signalbox/client';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useSession } from '../../app/use-session.ts';
import { useSwitchAccount } from '../../app/use-switch-account.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { SwitchButton } from '../../parts/switch-button.tsx';
import { AccountForm } from './account-form.tsx';
import { PauseSwitch } from './pause-switch.tsx';
import { WORDS } from './words.ts';

/** A button that opens the form of a new account. */
export function CreateAccount(): ReactNode {
  return (
    <DialogButton label={WORDS.createAccount} leftSection={<IconPlus size={16} />}>
      {(close) => <AccountForm onDone={close} />}
    </DialogButton>
  );
}

/** The settings of an account, its sending and access, and switching to it. */
export function AccountActions({ account }: { account: Account }): ReactNode {
  return (
    <Group gap={6} wrap="nowrap">
      <DialogButton
        size="compact-sm"
        variant="default"
        label="Edit"
        aria-label={`Edit ${account.name}`}
        title={WORDS.editAccount}
      >
        {(close) => <AccountForm account={account} onDone={close} />}
      </DialogButton>
      <PauseSwitch accountId={account.id} accountName={account.name} pausedAt={account.pausedAt} />
      <Access account={account} />
      <OpenAccount account={account} />
    </Group>
  );
}

function OpenAccount({ account: { id, name } }: { account: Account }): ReactNode {
  const { accountId, kind } = useSession();
  const switchTo = useSwitchAccount();
  if (id === accountId)
    return (
      <Text size="xs" c="dimmed">
        {WORDS.current}
      </Text>
    );
  if (kind !== 'user') return null;
  return (
    <ActionButton
      size="compact-sm"
      variant="default"
      aria-label={`Switch to ${name}`}
      onAct={() => switchTo(id)}
    >
      Switch
    </ActionButton>
  );
}

function Access({ account: { id, name, status } }: { account: Account }): ReactNode {
  const act = useAct(
    (wanted: 'active' | 'suspended') => changeAccount({ path: { id }, body: { status: wanted } }),
    { changes: ['accounts'], done: (body) => body.message },
  );
  return (
    <SwitchButton
      size="compact-sm"
      variant="filled"
      isOn={status !== 'suspended'}
      verbs={{ on: 'Activate', off: 'Suspend' }}
      question={`Suspend ${name}?`}
      consequence="Its keys and users get 403 within a second. Messages that were accepted are still sent."
      verb="Suspend the account"
      onTurnOn={() => act.mutateAsync('active')}
      onTurnOff={() => act.mutateAsync('suspended')}
    />
  );
}
