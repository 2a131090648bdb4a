import { Text } from '@mantine/core';
import { type Gateway, listGateways } from '@signalbox/client';
import { IconAntenna, IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useList } from '../../api/use-list.ts';
import { useMay } from '../../app/use-session.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { CHANNEL_NAMES } from '../../parts/channel-name.ts';
import { WORDS } from './words.ts';

/** All gateways with their states, live. */
export function GatewaysPage(): ReactNode {
  const list = useList(['gateways', 'list'], (_, signal) => listGateways({ signal }), {
    live: ['gateway'],
  });
  const addButton = useMay('ops') && (
    <LinkButton leftSection={<IconPlus size={16} />} to="/gateways/add">
      {WORDS.add}
    </LinkButton>
  );
  return (
    <Page title={WORDS.title} lead={WORDS.lead} actions={addButton}>
      <DataList
        label={WORDS.title}
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        rowLink={({ name }) => ({ to: '/gateways/$name', params: { name } })}
        empty={
          <EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText} icon={IconAntenna}>
            {addButton}
          </EmptyState>
        }
      />
    </Page>
  );
}

const COLUMNS: readonly Column<Gateway>[] = [
  { id: 'name', label: WORDS.name, width: 'minmax(150px, 2fr)', cell: ({ name }) => <b>{name}</b> },
  { id: 'kind', label: WORDS.kind, width: '90px', cell: ({ kind }) => kind },
  {
    id: 'channel',
    label: WORDS.channel,
    width: '90px',
    optional: 'hidden',
    cell: ({ channel }) => CHANNEL_NAMES[channel],
  },
  { id: 'state', label: WORDS.state, width: '110px', cell: ({ state }) => <Status status={state.status} /> },
  {
    id: 'since',
    label: WORDS.since,
    width: '110px',
    cell: ({ state }) => (state.since === null ? '' : <Time at={state.since} />),
  },
  {
    id: 'rate',
    label: WORDS.rate,
    width: '100px',
    align: 'end',
    optional: 'hidden',
    cell: ({ ratePerSecond }) =>
      ratePerSecond === null ? WORDS.none : `${ratePerSecond.toLocaleString()}/s`,
  },
  {
    id: 'accepted',
    label: `${WORDS.accepted}, hour`,
    width: '120px',
    align: 'end',
    cell: ({ lastHour }) => lastHour.accepted.toLocaleString(),
  },
  {
    id: 'refused',
    label: WORDS.refused,
    width: '80px',
    align: 'end',
    optional: 'hidden',
    cell: ({ lastHour }) => <Trouble count={lastHour.refused} />,
  },
  {
    id: 'failed',
    label: WORDS.failed,
    width: '80px',
    align: 'end',
    optional: 'shown',
    cell: ({ lastHour }) => <Trouble count={lastHour.failed} />,
  },
  // a sentence: whole on a separate line, unless the window is very wide
  {
    id: 'reason',
    label: WORDS.reason,
    width: 'minmax(440px, 5fr)',
    optional: 'shown',
    cell: ({ state }) => state.reason,
  },
];

function Trouble({ count }: { count: number }): ReactNode {
  return (
    <Text span size="sm" fw={count > 0 ? 600 : undefined}>
      {count.toLocaleString()}
    </Text>
  );
}
