import { type Account, listAccounts } from '@signalbox/client';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useList } from '../../api/use-list.ts';
import { useMay } from '../../app/use-session.ts';
import { DataList } from '../../parts/data-list.tsx';
import type { Column } from '../../parts/data-list-columns.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { TextFilter } from '../../parts/text-filter.tsx';
import { Time } from '../../parts/time.tsx';
import { AccountActions, CreateAccount } from './account-actions.tsx';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/accounts');

const COLUMNS: readonly Column<Account>[] = [
  { id: 'name', label: 'Account', cell: ({ name }) => name, width: 'minmax(140px, 1.5fr)' },
  {
    id: 'status',
    label: 'Status',
    cell: ({ status, pausedAt }) => {
      if (status === 'suspended') return <Status status={status} color="red" />;
      return pausedAt === null ? 'Active' : <Status status="paused" />;
    },
    width: '96px',
  },
  { id: 'keys', label: 'Keys', cell: ({ keys }) => keys.toLocaleString(), align: 'end', width: '64px' },
  { id: 'users', label: 'Users', cell: ({ users }) => users.toLocaleString(), align: 'end', width: '64px' },
  {
    id: 'rate',
    label: 'SMS per second',
    cell: ({ smsPerSecond }) => smsPerSecond?.toLocaleString() ?? 'no limit',
    align: 'end',
    width: 'minmax(124px, 0.8fr)',
  },
  {
    id: 'created',
    label: 'Created',
    cell: ({ createdAt }) => <Time at={createdAt} as="short" />,
    optional: 'hidden',
    width: 'minmax(108px, 1fr)',
  },
  {
    id: 'act',
    label: 'Actions',
    isAction: true,
    cell: (account) => <AccountActions account={account} />,
    width: '330px',
  },
];

/** Every account of the installation. */
export function AccountsPage(): ReactNode {
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList(['accounts', q], (cursor, signal) =>
    listAccounts({
      query: { ...(q !== undefined && { q }), ...(cursor !== undefined && { cursor }) },
      signal,
    }),
  );
  return (
    <Page title={WORDS.accounts} lead={WORDS.accountsLead} actions={useMay('ops') && <CreateAccount />}>
      <DataList
        label={WORDS.accounts}
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        filters={
          <TextFilter
            label="Search accounts"
            placeholder="Name or id"
            value={q}
            onChange={(name) =>
              void navigate({ search: name === undefined ? {} : { q: name }, replace: true })
            }
            isImmediate
          />
        }
        empty={<EmptyState title={WORDS.noAccounts} />}
      />
    </Page>
  );
}
