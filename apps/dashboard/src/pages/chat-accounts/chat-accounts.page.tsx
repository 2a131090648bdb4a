import type { ChatAccount } from '@signalbox/client';
import { IconBuildingStore } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { CreateAccount } from './create-account.tsx';
import { useChatAccounts } from './use-chat-accounts.ts';
import { WORDS } from './words.ts';

const COLUMNS: readonly Column<ChatAccount>[] = [
  {
    id: 'name',
    label: WORDS.name,
    width: 'minmax(160px, 2fr)',
    cell: ({ name }) => <b>{name}</b>,
  },
  { id: 'id', label: WORDS.id, width: '110px', cell: ({ id }) => id },
  {
    id: 'window',
    label: WORDS.windowColumn,
    width: 'minmax(200px, 1fr)',
    cell: ({ sessionWindow }) => WORDS.windows[sessionWindow],
  },
  { id: 'created', label: WORDS.createdAt, width: '130px', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** The chat accounts of the account. */
export function ChatAccountsPage(): ReactNode {
  const list = useChatAccounts();
  return (
    <Page title={WORDS.title} lead={WORDS.lead} actions={<CreateAccount />}>
      <DataList
        label={WORDS.title}
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => String(id)}
        rowLink={({ id }) => ({ to: '/chat-accounts/$id', params: { id: String(id) } })}
        empty={<EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText} icon={IconBuildingStore} />}
      />
    </Page>
  );
}
