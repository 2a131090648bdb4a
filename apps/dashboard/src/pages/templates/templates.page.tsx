import type { SelectProps } from '@mantine/core';
import { type ChatTemplate, chatTemplateList } from '@signalbox/client';
import { CATEGORIES } from '@signalbox/domain/templates/template';
import { IconPlus, IconTemplate } from '@tabler/icons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useList } from '../../api/use-list.ts';
import { useMay } from '../../app/use-session.ts';
import { ChoiceFilter } from '../../parts/choice-filter.tsx';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { withoutUndefined } from '../../parts/search-params.ts';
import { Status } from '../../parts/status.tsx';
import { TextFilter } from '../../parts/text-filter.tsx';
import { Time } from '../../parts/time.tsx';
import type { TemplateSearch } from './template-search.ts';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/templates');
const STATUSES = ['Pending', 'Approved', 'Rejected', 'Paused'];
const CATEGORY_OPTIONS = CATEGORIES.map((value) => ({ value, label: WORDS.categories[value] }));

const COLUMNS: readonly Column<ChatTemplate>[] = [
  {
    id: 'name',
    label: WORDS.columns.name,
    width: 'minmax(170px, 2fr)',
    cell: ({ name }) => <b>{name}</b>,
  },
  {
    id: 'status',
    label: WORDS.columns.status,
    width: '110px',
    cell: ({ status }) => <Status status={status} />,
  },
  {
    id: 'category',
    label: WORDS.columns.category,
    cell: ({ category }) => WORDS.categories[category],
    optional: 'shown',
  },
  {
    id: 'language',
    label: WORDS.columns.language,
    width: '90px',
    cell: ({ language }) => language,
    optional: 'shown',
  },
  {
    id: 'edits',
    label: WORDS.columns.edits,
    width: '170px',
    cell: ({ editsLeftToday, editsLeftThisMonth }) => WORDS.editsLeft(editsLeftToday, editsLeftThisMonth),
    optional: 'shown',
  },
  {
    id: 'account',
    label: WORDS.columns.account,
    width: '110px',
    cell: ({ chatAccountId }) => chatAccountId,
    optional: 'hidden',
  },
  {
    id: 'updated',
    label: WORDS.columns.updated,
    width: '120px',
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    optional: 'shown',
  },
];

/** All templates of the account, with filters. */
export function TemplatesPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = {
    ...search,
    chatAccountId: search.chatAccountId === undefined ? undefined : Number(search.chatAccountId),
  };
  const list = useList(
    ['templates', search],
    (cursor, signal) => chatTemplateList({ query: { ...query, cursor, limit: 50 }, signal }),
    { live: ['template'] },
  );
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page title={WORDS.title} lead={WORDS.lead} actions={<Actions />}>
      <DataList
        label={WORDS.title}
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '/templates/$id', params: { id } })}
        filters={<Filters search={search} />}
        onClear={isFiltered ? () => void navigate({ search: {}, replace: true }) : undefined}
        empty={isFiltered ? <EmptyState title={WORDS.noneMatch} /> : <NoTemplates />}
      />
    </Page>
  );
}

function Actions(): ReactNode {
  const [mayWrite, mayReview] = [useMay('templates'), useMay('manage')];
  return (
    <>
      {mayReview && (
        <LinkButton variant="default" to="/templates/review">
          {WORDS.reviewQueue}
        </LinkButton>
      )}
      {mayWrite && <CreateButton />}
    </>
  );
}

function CreateButton(): ReactNode {
  return (
    <LinkButton leftSection={<IconPlus size={16} />} to="/templates/new">
      {WORDS.create}
    </LinkButton>
  );
}

function NoTemplates(): ReactNode {
  const mayWrite = useMay('templates');
  return (
    <EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText} icon={IconTemplate}>
      {mayWrite && <CreateButton />}
    </EmptyState>
  );
}

function Filters({ search }: { search: TemplateSearch }): ReactNode {
  const navigate = useNavigate();
  const set = (change: { [K in keyof TemplateSearch]?: TemplateSearch[K] | undefined }): void => {
    void navigate({
      to: '/templates',
      search: withoutUndefined<TemplateSearch>({ ...search, ...change }),
      replace: true,
    });
  };
  const choice = (name: 'status' | 'category', data: SelectProps['data']) => (
    <ChoiceFilter
      w={150}
      label={WORDS.columns[name]}
      data={data}
      value={search[name]}
      onChange={(value) => set({ [name]: value })}
    />
  );
  return (
    <>
      <TextFilter
        label={WORDS.filters.name}
        value={search.name}
        onChange={(name) => set({ name })}
        isImmediate
        w={190}
      />
      {choice('status', STATUSES)}
      {choice('category', CATEGORY_OPTIONS)}
    </>
  );
}
