import { Select } from '@mantine/core';
import { type User, changeUser, listUsers } from '@signalbox/client';
import { IconUsers } from '@tabler/icons-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useList } from '../../api/use-list.ts';
import { useMay, useSession } from '../../app/use-session.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { InviteUser } from './invite-user.tsx';
import { UserActions } from './user-actions.tsx';
import type { SignInLink } from './sign-in-link.ts';
import { WORDS } from './words.ts';

/** Roles of one account; an operator acts in all. */
const ACCOUNT_ROLES = ['viewer', 'editor', 'admin'] as const;

/** The users of the account. */
export function UsersPage(): ReactNode {
  const list = useList(['users'], (cursor, signal) => listUsers({ query: { cursor }, signal }));
  const [link, setLink] = useState<SignInLink>();
  const columns = useMemo(() => columnsOf(setLink), []);
  return (
    <Page
      title={WORDS.users.title}
      lead={WORDS.users.lead}
      actions={useMay('manage') && <InviteUser onLink={setLink} />}
    >
      <SecretDialog title={WORDS.users.link} onClose={() => setLink(undefined)}>
        {link && <NewLink link={link} />}
      </SecretDialog>
      <DataList
        label={WORDS.users.title}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title={WORDS.users.emptyTitle} text={WORDS.users.emptyText} icon={IconUsers} />}
      />
    </Page>
  );
}

/** The link with the words for the person who sends it. */
function NewLink({ link: { token, name, lifetime } }: { link: SignInLink }): ReactNode {
  return (
    <Secret
      value={`${location.origin}/app/#token=${token}`}
      label="sign-in link"
      advice={`Send it to ${name}: it works once, for ${lifetime}. Signalbox sends no e-mail.`}
    />
  );
}

function columnsOf(onLink: (link: SignInLink) => void): Column<User>[] {
  return [
    { id: 'name', label: 'Name', width: 'minmax(120px, 1fr)', cell: ({ name }) => <b>{name}</b> },
    {
      id: 'email',
      label: 'E-mail',
      width: 'minmax(158px, 2fr)',
      optional: 'shown',
      cell: ({ email }) => email,
    },
    { id: 'role', label: 'Role', width: '100px', cell: (user) => <RoleChoice user={user} /> },
    { id: 'status', label: 'Status', width: '102px', cell: (user) => <UserStatus user={user} /> },
    {
      id: 'totp',
      label: 'Second factor',
      width: '100px',
      optional: 'hidden',
      cell: ({ hasTotp }) => (hasTotp ? 'On' : 'Off'),
    },
    {
      id: 'signedIn',
      label: 'Last sign-in',
      width: '96px',
      cell: ({ signedInAt }) => (signedInAt === null ? 'Never' : <Time at={signedInAt} />),
    },
    {
      id: 'act',
      label: 'Actions',
      isAction: true,
      width: '350px',
      cell: (user) => <UserActions user={user} onLink={onLink} />,
    },
  ];
}

/** Status of a user; one who came by a link and set no password is not waited for. */
function UserStatus({ user: { status, signedInAt } }: { user: User }): ReactNode {
  const hasCome = status === 'invited' && signedInAt !== null;
  return <Status status={status} {...(hasCome && { label: 'No password' })} />;
}

/** The role of a user; nobody takes rights from themselves. */
function RoleChoice({ user: { id, name, role } }: { user: User }): ReactNode {
  const change = useAct((to: User['role']) => changeUser({ path: { id }, body: { role: to } }), {
    changes: ['users'],
    done: 'The role was changed.',
  });
  const mayWrite = useMay('manage');
  const isOwn = useSession().id === id;
  if (role === 'operator' || isOwn || !mayWrite) return WORDS.roles[role].name;
  return (
    <Select
      size="xs"
      aria-label={`Role of ${name}`}
      data={ACCOUNT_ROLES.map((value) => ({ value, label: WORDS.roles[value].name }))}
      value={role}
      allowDeselect={false}
      disabled={change.isPending}
      onChange={(to) => to !== null && change.mutate(to)}
    />
  );
}
