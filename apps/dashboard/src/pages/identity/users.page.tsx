import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconUsers } from '@tabler/icons-react';
import {
  type User,
  changeUser,
  createSignInLink,
  createUser,
  deleteUser,
  listUsers,
  resetUserTotp,
} from '@signalbox/client';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useList } from '../../api/use-list.ts';
import { useMay, useSession } from '../../app/use-session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { WORDS } from './words.ts';

type Role = User['role'];

const ROLES: Readonly<Record<Role, string>> = {
  viewer: 'Viewer',
  editor: 'Editor',
  admin: 'Admin',
  operator: 'Operator',
};

const CHANGES = { changes: ['users'] };

/** A failure shows itself. */
const ignore = (): void => undefined;

const linkOf = (token: string): string => `${location.origin}/app/#token=${token}`;

/** The users of the account. */
export function UsersPage(): ReactNode {
  const list = useList(['users'], (cursor, signal) => listUsers({ query: { cursor }, signal }));
  const [link, setLink] = useState<string>();
  const add = useMay('manage') && <InviteUser onInvited={setLink} />;
  return (
    <Page
      title={WORDS.users.title}
      lead={WORDS.users.lead}
      crumbs={[{ label: 'Utility Manager' }]}
      actions={add}
    >
      <Stack>
        {link !== undefined && <Secret value={link} label="sign-in link" />}
        <DataList
          label={WORDS.users.title}
          list={list}
          columns={columnsOf(setLink)}
          rowKey={({ id }) => id}
          empty={<EmptyState title={WORDS.users.emptyTitle} text={WORDS.users.emptyText} icon={IconUsers} />}
        />
      </Stack>
    </Page>
  );
}

function columnsOf(onLink: (link: string) => void): Column<User>[] {
  return [
    { id: 'name', label: 'Name', width: 'minmax(90px, 0.6fr)', cell: ({ name }) => <b>{name}</b> },
    { id: 'email', label: 'E-mail address', width: 'minmax(170px, 1.4fr)', cell: ({ email }) => email },
    { id: 'role', label: 'Role', width: '124px', cell: (user) => <RoleChoice user={user} /> },
    { id: 'status', label: 'Status', width: '104px', cell: (user) => <UserStatus user={user} /> },
    {
      id: 'totp',
      label: 'Second factor',
      width: '100px',
      optional: 'shown',
      cell: ({ hasTotp }) => (hasTotp ? 'On' : 'Off'),
    },
    {
      id: 'signedIn',
      label: 'Last sign-in',
      width: '100px',
      cell: ({ signedInAt }) => (signedInAt === null ? 'Never' : <Time at={signedInAt} />),
    },
    {
      id: 'act',
      label: 'Actions',
      width: '300px',
      cell: (user) => <UserActions user={user} onLink={onLink} />,
    },
  ];
}

/** Status of a user; one who came by a link and set no password is not waited for. */
function UserStatus({ user: { status, signedInAt } }: { user: User }): ReactNode {
  const hasCome = status === 'invited' && signedInAt !== null;
  return <Status status={status} {...(hasCome && { label: 'No password' })} />;
}

/** Roles that the session may give, with the present one. */
function rolesFor(scopes: readonly string[]): { value: Role; label: string }[] {
  const roles: Role[] = scopes.includes('ops')
    ? ['viewer', 'editor', 'admin', 'operator']
    : ['viewer', 'editor', 'admin'];
  return roles.map((value) => ({ value, label: WORDS.roles[value] }));
}

function RoleChoice({ user: { id, name, role } }: { user: User }): ReactNode {
  const change = useAct((to: Role) => changeUser({ path: { id }, body: { role: to } }), {
    ...CHANGES,
    done: 'The role was changed.',
  });
  const mayWrite = useMay('manage');
  if (role === 'operator' || !mayWrite) return ROLES[role];
  return (
    <Select
      size="xs"
      aria-label={`Role of ${name}`}
      data={(['viewer', 'editor', 'admin'] as const).map((each) => ({ value: each, label: ROLES[each] }))}
      value={role}
      allowDeselect={false}
      disabled={change.isPending}
      onChange={(to) => to !== null && change.mutate(to as Role)}
    />
  );
}

function UserActions({ user, onLink }: { user: User; onLink: (link: string) => void }): ReactNode {
  const { id, name, status, hasTotp } = user;
  const path = { id };
  const disable = useAct(() => changeUser({ path, body: { disabled: status !== 'disabled' } }), CHANGES);
  const link = useAct(() => createSignInLink({ path }), CHANGES);
  const totp = useAct(() => resetUserTotp({ path }), { ...CHANGES, done: 'The second factor was removed.' });
  const remove = useAct(() => deleteUser({ path }), { ...CHANGES, done: 'The user was removed.' });
  const isOwn = useSession().id === id;
  if (!useMay('manage')) return null;
  return (
    <Group gap={6} wrap="nowrap">
      {!isOwn && (
        <ConfirmButton
          size="compact-sm"
          question={`Reset the password of ${name}?`}
          consequence="The user is signed out. You get a link that signs in once, for ten minutes."
          onConfirm={async () => onLink(linkOf((await link.mutateAsync()).data.linkToken))}
        >
          New link
        </ConfirmButton>
      )}
      {hasTotp && !isOwn && (
        <ConfirmButton
          size="compact-sm"
          question={`Remove the second factor of ${name}?`}
          consequence="The user is signed out, and signs in with the password alone."
          onConfirm={() => totp.mutateAsync()}
        >
          Reset factor
        </ConfirmButton>
      )}
      <Button
        size="compact-sm"
        variant="default"
        loading={disable.isPending}
        onClick={() => disable.mutate()}
      >
        {status === 'disabled' ? 'Enable' : 'Disable'}
      </Button>
      <ConfirmButton
        size="compact-sm"
        question={`Remove ${name} from the account?`}
        consequence="The user is signed out, and loses this account."
        onConfirm={() => remove.mutateAsync()}
      >
        Remove
      </ConfirmButton>
    </Group>
  );
}

function InviteUser({ onInvited }: { onInvited: (link: string) => void }): ReactNode {
  return (
    <DialogButton label={WORDS.users.add} leftSection={<IconPlus size={16} />}>
      {(close) => (
        <InviteForm
          onInvited={(token) => {
            if (token !== null) onInvited(linkOf(token));
            close();
          }}
        />
      )}
    </DialogButton>
  );
}

function InviteForm({ onInvited }: { onInvited: (token: string | null) => void }): ReactNode {
  const { scopes } = useSession();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const invite = useAct(() => createUser({ body: { email, name, role } }), CHANGES);
  // also when the dialog was closed meanwhile: the link is shown only once
  const submit = () => invite.mutateAsync().then(({ data }) => onInvited(data.linkToken), ignore);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack>
        <TextInput
          label="E-mail address"
          type="email"
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          maxLength={254}
          required
          data-autofocus
        />
        <TextInput
          label="Name"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={100}
          required
        />
        <Select
          label="Role"
          data={rolesFor(scopes)}
          value={role}
          allowDeselect={false}
          onChange={(value) => value !== null && setRole(value)}
        />
        <Button type="submit" loading={invite.isPending}>
          {WORDS.users.add}
        </Button>
      </Stack>
    </form>
  );
}
