import { IconSend } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useMay } from '../../app/use-session.ts';
import { CancelMatching } from '../../parts/cancel-matching.tsx';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { COLUMNS } from './columns.tsx';
import { ExportButton } from './export-button.tsx';
import { FilterBar } from './filter-bar.tsx';
import { NewMessages } from './new-messages.tsx';
import { type MessageSearch, cancelFilterOf, countFilters } from './search.ts';
import { useMessages } from './use-messages.ts';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/messages');

/** The messages of the account, found by everything that is known of them. */
export function MessagesPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { list, fresh, showFresh } = useMessages(search);
  return (
    <Page title={WORDS.title} lead={WORDS.lead} actions={<Actions search={search} />}>
      <NewMessages count={fresh} onShow={showFresh} />
      <DataList
        label={WORDS.title}
        list={list}
        columns={COLUMNS}
        rowKey={({ messageId }) => messageId}
        rowLink={({ messageId }) => ({ to: '/messages/$messageId', params: { messageId } })}
        filters={<FilterBar search={search} />}
        onClear={countFilters(search) > 0 ? () => void navigate({ search: {} }) : undefined}
        empty={<Empty search={search} />}
      />
    </Page>
  );
}

function Actions({ search }: { search: MessageSearch }): ReactNode {
  const maySend = useMay('send');
  const filter = useMemo(() => cancelFilterOf(search, Date.now()), [search]);
  return (
    <>
      <CancelMatching filter={filter} />
      <ExportButton search={search} />
      {maySend && <SendButton />}
    </>
  );
}

function SendButton(): ReactNode {
  return (
    <LinkButton leftSection={<IconSend size={16} />} to="/send" search={{}}>
      {WORDS.send}
    </LinkButton>
  );
}

function Empty({ search }: { search: MessageSearch }): ReactNode {
  const maySend = useMay('send');
  if (countFilters(search) === 0)
    return (
      <EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText}>
        {maySend && <SendButton />}
      </EmptyState>
    );
  return (
    <EmptyState
      title={WORDS.noMatchTitle}
      text={search.recipient === undefined ? WORDS.noMatchText : WORDS.noRecipientText}
    />
  );
}
