import { Button, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type Account, changeAccount, listAccounts } from '@signalbox/client';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useList } from '../../api/use-list.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DataList } from '../../parts/data-list.tsx';
import type { Column } from '../../parts/data-list-columns.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/accounts');

const COLUMNS: readonly Column<Account>[] = [
  { id: 'name', label: 'Account', cell: ({ name }) => name, width: 'minmax(150px, 1.5fr)' },
  {
    id: 'status',
    label: 'Status',
    cell: ({ status, pausedAt }) => {
      if (status === 'suspended') return <Status status={status} color="red" />;
      return pausedAt === null ? 'Active' : <Status status="paused" />;
    },
    width: '110px',
  },
  { id: 'keys', label: 'Keys', cell: ({ keys }) => keys, align: 'end', width: '70px' },
  {
    id: 'rate',
    label: 'SMS per second',
    cell: ({ smsPerSecond }) => smsPerSecond?.toLocaleString() ?? 'no limit',
    align: 'end',
  },
  { id: 'created', label: 'Created', cell: ({ createdAt }) => <Time at={createdAt} as="short" /> },
  {
    id: 'act',
    label: 'Access',
    cell: (account) => <Access account={account} />,
    width: 'minmax(110px, 0.8fr)',
  },
];

/** Every account of the installation. */
export function AccountsPage(): ReactNode {
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const search = useDebouncedCallback((text: string) => {
    void navigate({ search: text.trim() === '' ? {} : { q: text.trim() }, replace: true });
  }, 250);
  const list = useList(['accounts', q], (cursor, signal) =>
    listAccounts({
      query: { ...(q !== undefined && { q }), ...(cursor !== undefined && { cursor }) },
      signal,
    }),
  );
  return (
    <Page title={WORDS.accounts} lead={WORDS.accountsLead} crumbs={[{ label: WORDS.crumb }]}>
      <DataList
        label={WORDS.accounts}
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        filters={
          <TextInput
            aria-label="Search accounts"
            placeholder="Name or id"
            defaultValue={q ?? ''}
            onChange={(event) => search(event.currentTarget.value)}
          />
        }
        empty={<EmptyState title={WORDS.noAccounts} />}
      />
    </Page>
  );
}

function Access({ account: { id, name, status } }: { account: Account }): ReactNode {
  const act = useAct(
    (wanted: 'active' | 'suspended') => changeAccount({ path: { id }, body: { status: wanted } }),
    { changes: ['accounts'], done: (body) => body.message },
  );
  if (status === 'suspended')
    return (
      <Button size="compact-sm" loading={act.isPending} onClick={() => act.mutate('active')}>
        Activate
      </Button>
    );
  return (
    <ConfirmButton
      size="compact-sm"
      question={`Suspend ${name}?`}
      consequence="Its keys and users get 403 within a second. Messages that were accepted are still sent."
      verb="Suspend the account"
      onConfirm={() => act.mutateAsync('suspended')}
    >
      Suspend
    </ConfirmButton>
  );
}
