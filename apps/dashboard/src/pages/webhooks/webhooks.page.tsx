import { listWebhookHealth, listWebhooks } from '@signalbox/client';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { type ReactNode, useMemo } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { useList } from '../../api/use-list.ts';
import { useMay } from '../../app/use-session.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { columnsOf } from './columns.tsx';
import { WORDS } from './words.ts';

/** The configurations of an account, each with its health. */
export function WebhooksPage(): ReactNode {
  const list = useList(['webhooks', 'list'], (cursor, signal) => listWebhooks({ query: { cursor }, signal }));
  const health = useAnswer(['webhooks', 'health'], (signal) => listWebhookHealth({ signal }), {
    live: ['delivery'],
  });
  const columns = useMemo(() => columnsOf(health.data ?? []), [health.data]);
  const mayWrite = useMay('webhooks');
  const addButton = mayWrite && <AddButton />;
  return (
    <Page title={WORDS.title} lead={WORDS.lead} actions={addButton}>
      <DataList
        label={WORDS.title}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '/webhooks/$webhookId', params: { webhookId: id } })}
        empty={
          <EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText} icon={IconWebhook}>
            {addButton}
          </EmptyState>
        }
      />
    </Page>
  );
}

function AddButton(): ReactNode {
  return (
    <LinkButton leftSection={<IconPlus size={16} />} to="/webhooks/add">
      {WORDS.add}
    </LinkButton>
  );
}
