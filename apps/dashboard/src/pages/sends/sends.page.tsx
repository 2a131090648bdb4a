import { Button, Select, TextInput } from '@mantine/core';
import { listSends } from '@signalbox/client';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useList } from '../../api/use-list.ts';
import { CancelMatching } from '../../parts/cancel-matching.tsx';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { COLUMNS } from './columns.tsx';
import { type SendSearch, TEXT_FILTERS } from './search.ts';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/sends');

const LABELS = { campaignName: WORDS.campaign, clientRef: WORDS.reference, sender: WORDS.sender } as const;

const CHANNELS = [
  { value: 'sms', label: WORDS.sms },
  { value: 'chatapp', label: WORDS.chatapp },
];

/** The sends of the account with their progress. */
export function SendsPage(): ReactNode {
  const search = route.useSearch();
  const filter = Object.keys(search).length > 0 ? search : undefined;
  const list = useList(
    ['sends', 'list', search],
    (cursor, signal) => listSends({ query: { ...search, ...(cursor && { cursor }) }, signal }),
    { live: ['message'] },
  );
  return (
    <Page
      title={WORDS.title}
      lead={WORDS.lead}
      crumbs={[{ label: 'Message app' }]}
      actions={<CancelMatching filter={filter} />}
    >
      <DataList
        label={WORDS.title}
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '/sends/$sendId', params: { sendId: id } })}
        filters={<Filters search={search} />}
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
  const { channel, ...others } = search;
  return (
    <>
      {TEXT_FILTERS.map((name) => (
        <TextFilter
          key={`${name} ${search[name] ?? ''}`}
          label={LABELS[name]}
          value={search[name] ?? ''}
          onChange={(value) => {
            const { [name]: _, ...rest } = search;
            filter(value === '' ? rest : { ...rest, [name]: value });
          }}
        />
      ))}
      <Select
        aria-label={WORDS.channel}
        placeholder={WORDS.anyChannel}
        clearable
        w={150}
        data={CHANNELS}
        value={channel ?? null}
        onChange={(value) =>
          filter(value === null ? others : { ...others, channel: value as NonNullable<typeof channel> })
        }
      />
    </>
  );
}

function TextFilter(props: { label: string; value: string; onChange: (value: string) => void }): ReactNode {
  const { label, value, onChange } = props;
  const apply = (given: string) => {
    const text = given.trim();
    if (text !== value) onChange(text);
  };
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      defaultValue={value}
      w={150}
      onBlur={(event) => apply(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(event.currentTarget.value);
      }}
    />
  );
}

function Empty({ isFiltered }: { isFiltered: boolean }): ReactNode {
  const filter = useFilter();
  if (!isFiltered) return <EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText} />;
  return (
    <EmptyState title={WORDS.noMatchTitle} text={WORDS.noMatchText}>
      <Button variant="default" onClick={() => filter({})}>
        {WORDS.clear}
      </Button>
    </EmptyState>
  );
}
