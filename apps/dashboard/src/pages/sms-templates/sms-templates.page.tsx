import { type SmsTemplate, listSmsTemplates } from '@signalbox/client';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useList } from '../../api/use-list.ts';
import { useMay } from '../../app/use-session.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { typeName } from '../../parts/type-names.ts';
import { WORDS } from './words.ts';

const COLUMNS: readonly Column<SmsTemplate>[] = [
  { id: 'name', label: WORDS.name, cell: ({ name }) => name },
  { id: 'text', label: WORDS.text, cell: ({ text }) => text, width: 'minmax(200px, 3fr)' },
  { id: 'values', label: WORDS.values, cell: ({ variables }) => variables, width: '70px', align: 'end' },
  { id: 'sender', label: WORDS.sender, cell: ({ sender }) => sender, optional: 'shown' },
  {
    id: 'type',
    label: 'Type',
    cell: ({ type }) => (type ? typeName(type) : WORDS.anyType),
    optional: 'shown',
  },
  {
    id: 'dlt',
    label: WORDS.template,
    cell: ({ dltTemplateId }) => dltTemplateId,
    optional: 'hidden',
  },
  { id: 'changed', label: WORDS.changed, cell: ({ updatedAt }) => <Time at={updatedAt} />, align: 'end' },
];

/** The SMS templates of the account. */
export function SmsTemplatesPage(): ReactNode {
  const list = useList(['sms-templates', 'list'], (cursor, signal) =>
    listSmsTemplates({ query: { limit: 200, ...(cursor !== undefined && { cursor }) }, signal }),
  );
  return (
    <Page title={WORDS.title} lead={WORDS.lead} actions={<AddButton />}>
      <DataList
        label={WORDS.title}
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '/sms-templates/$id', params: { id } })}
        empty={
          <EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText}>
            <AddButton />
          </EmptyState>
        }
      />
    </Page>
  );
}

function AddButton(): ReactNode {
  if (!useMay('manage')) return null;
  return (
    <LinkButton leftSection={<IconPlus size={16} />} to="/sms-templates/$id" params={{ id: 'new' }}>
      {WORDS.add}
    </LinkButton>
  );
}
