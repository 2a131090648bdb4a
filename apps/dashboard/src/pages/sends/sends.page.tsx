import { listSends } from '@signalbox/client';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CHANNELS } from '@signalbox/domain/channel';
import { IconSend } from '@tabler/icons-react';
import { useList } from '../../api/use-list.ts';
import { useMay } from '../../app/use-session.ts';
import { ChoiceFilter } from '../../parts/choice-filter.tsx';
import { CancelMatching } from '../../parts/cancel-matching.tsx';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { oneOf, withoutUndefined } from '../../parts/search-params.ts';
import { TextFilter } from '../../parts/text-filter.tsx';
import { CHANNEL_CHOICES } from '../../parts/channel-name.ts';
import { COLUMNS } from './columns.tsx';
import { type SendSearch, TEXT_FILTERS } from './search.ts';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/sends');

const LABELS = { campaignName: WORDS.campaign, clientRef: WORDS.reference, sender: WORDS.sender } as const;

/** The sends of the account with their progress. */
export function SendsPage(): ReactNode {
  const search = route.useSearch();
  const setFilter = useFilter();
  const filter = Object.keys(search).length > 0 ? search : undefined;
  const list = useList(
    ['sends', 'list', search],
    (cursor, signal) => listSends({ query: { ...search, ...(cursor && { cursor }) }, signal }),
    { live: ['message'] },
  );
  return (
    <Page title={WORDS.title} lead={WORDS.lead} actions={<CancelMatching filter={filter} />}>
      <DataList
        label={WORDS.title}
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '/sends/$sendId', params: { sendId: id } })}
        filters={<Filters search={search} />}
        onClear={filter && (() => setFilter({}))}
        empty={<Empty isFiltered={Object.keys(search).length > 0} />}
      />
    </Page>
  );
}

function useFilter(): (search: SendSearch) => void {
  const navigate = useNavigate();
  return (search) => void navigate({ to: '/sends', search });
}

function Filters({ search }: { search: SendSearch }): ReactNode {
  const filter = useFilter();
  return (
    <>
      {TEXT_FILTERS.map((name) => (
        <TextFilter
          key={name}
          label={LABELS[name]}
          value={search[name]}
          onChange={(value) => filter(withoutUndefined<SendSearch>({ ...search, [name]: value }))}
        />
      ))}
      <ChoiceFilter
        label={WORDS.channel}
        placeholder={WORDS.anyChannel}
        w={150}
        data={CHANNEL_CHOICES}
        value={search.channel}
        onChange={(value) =>
          filter(withoutUndefined<SendSearch>({ ...search, channel: oneOf(CHANNELS, value) }))
        }
      />
    </>
  );
}

function Empty({ isFiltered }: { isFiltered: boolean }): ReactNode {
  const maySend = useMay('send');
  if (isFiltered) return <EmptyState title={WORDS.noMatchTitle} text={WORDS.noMatchText} />;
  return (
    <EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText}>
      {maySend && (
        <LinkButton leftSection={<IconSend size={16} />} to="/send" search={{}}>
          {WORDS.send}
        </LinkButton>
      )}
    </EmptyState>
  );
}
