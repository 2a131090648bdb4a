import { Text, Tooltip } from '@mantine/core';
import { type Webhook, type WebhookHealth, listWebhookHealth, listWebhooks } from '@signalbox/client';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { type ReactNode, useMemo } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { useList } from '../../api/use-list.ts';
import { useMay } from '../../app/use-session.ts';
import { counted, upTo } from '../../parts/counted.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { share } from '../../parts/percent.ts';
import { Status } from '../../parts/status.tsx';
import { healthText, sumCalls } from './health-text.ts';
import { Sparkline } from './sparkline.tsx';
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
    <Page
      title={WORDS.title}
      lead={WORDS.lead}
      crumbs={[{ label: 'Message app' }, { label: 'Utility Manager' }]}
      actions={addButton}
    >
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

function columnsOf(all: readonly WebhookHealth[]): Column<Webhook>[] {
  const healthOf = new Map(all.map((each) => [each.webhookId, each]));
  return [
    {
      id: 'name',
      label: WORDS.columns.name,
      width: 'minmax(160px, 2fr)',
      cell: ({ name }) => <b>{name}</b>,
    },
    {
      id: 'state',
      label: WORDS.columns.state,
      width: '130px',
      cell: (webhook) => <State webhook={webhook} health={healthOf.get(webhook.id)} />,
    },
    {
      id: 'endPoint',
      label: WORDS.columns.endPoint,
      width: 'minmax(200px, 2fr)',
      cell: ({ method, endPoint }) => `${method} ${endPoint}`,
    },
    {
      id: 'channel',
      label: WORDS.columns.channel,
      width: '90px',
      optional: 'shown',
      cell: ({ channel }) => WORDS.channels[channel],
    },
    {
      id: 'provider',
      label: WORDS.columns.provider,
      width: '130px',
      optional: 'hidden',
      cell: ({ provider }) => provider,
    },
    {
      id: 'calls',
      label: WORDS.columns.calls,
      width: '120px',
      cell: ({ id }) => <Calls health={healthOf.get(id)} />,
    },
    {
      id: 'failed',
      label: WORDS.columns.failed,
      width: '90px',
      align: 'end',
      cell: ({ id }) => failedShare(healthOf.get(id)),
    },
    {
      id: 'backlog',
      label: WORDS.columns.backlog,
      width: '90px',
      align: 'end',
      cell: ({ id }) => {
        const health = healthOf.get(id);
        return health ? upTo(health.backlog, health.backlogCountedTo) : '';
      },
    },
  ];
}

function State({ webhook, health }: { webhook: Webhook; health: WebhookHealth | undefined }): ReactNode {
  const { word, color, why } = healthText(webhook, health);
  const badge = <Status status={word} color={color} />;
  if (why === null) return badge;
  return (
    <Tooltip label={why} multiline maw={320}>
      <span style={{ position: 'relative', zIndex: 1 }}>{badge}</span>
    </Tooltip>
  );
}

function Calls({ health }: { health: WebhookHealth | undefined }): ReactNode {
  if (!health) return null;
  const { calls, failures } = sumCalls(health);
  return (
    <Sparkline
      hours={health.hours}
      label={`${counted(calls, 'call')} in 24 hours, ${failures.toLocaleString()} failed`}
    />
  );
}

function failedShare(health: WebhookHealth | undefined): ReactNode {
  if (!health) return '';
  const { calls, failures } = sumCalls(health);
  if (calls === 0) return '–';
  return (
    <Text span size="sm" fw={failures > 0 ? 600 : undefined}>
      {share(failures, calls)}
    </Text>
  );
}
