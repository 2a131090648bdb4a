import { Text, Tooltip } from '@mantine/core';
import { type Webhook, type WebhookHealth } from '@signalbox/client';
import { type ReactNode } from 'react';
import { counted, upTo } from '../../parts/counted.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { share } from '../../parts/percent.ts';
import { Status } from '../../parts/status.tsx';
import { CHANNEL_NAMES } from '../../parts/channel-name.ts';
import { addressText, healthText, sumCalls } from './health-text.ts';
import { Sparkline } from './sparkline.tsx';
import { WORDS } from './words.ts';

const NAME: Column<Webhook> = {
  id: 'name',
  label: WORDS.columns.name,
  width: 'minmax(190px, 1.2fr)',
  cell: ({ name }) => <b>{name}</b>,
};

const SETTINGS: readonly Column<Webhook>[] = [
  {
    id: 'channel',
    label: WORDS.columns.channel,
    width: '90px',
    optional: 'shown',
    cell: ({ channel }) => CHANNEL_NAMES[channel],
  },
  {
    id: 'provider',
    label: WORDS.columns.provider,
    width: '130px',
    optional: 'hidden',
    cell: ({ provider }) => provider,
  },
];

/** Columns of the list of configurations, with the health of each. */
export function columnsOf(all: readonly WebhookHealth[]): Column<Webhook>[] {
  const healthOf = new Map(all.map((each) => [each.webhookId, each]));
  return [
    NAME,
    {
      id: 'state',
      label: WORDS.columns.state,
      width: '140px',
      cell: (webhook) => <State webhook={webhook} health={healthOf.get(webhook.id)} />,
    },
    ...SETTINGS,
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
    // an address: whole on a separate line, unless the window is very wide
    {
      id: 'endPoint',
      label: WORDS.columns.endPoint,
      width: 'minmax(400px, 3fr)',
      optional: 'shown',
      cell: addressText,
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
