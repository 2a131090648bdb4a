import { Button } from '@mantine/core';
import { type Queue, listQueues } from '@signalbox/client';
import { IconExternalLink } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useList } from '../../api/use-list.ts';
import { useSession } from '../../app/use-session.ts';
import { DataList } from '../../parts/data-list.tsx';
import type { Column } from '../../parts/data-list-columns.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { QUEUE_WORK, WORDS } from './words.ts';

const count = (id: 'waiting' | 'active' | 'delayed' | 'failed'): Column<Queue> => ({
  id,
  label: WORDS[id],
  cell: (queue) => queue[id].toLocaleString(),
  align: 'end',
  width: 'minmax(60px, 0.5fr)',
});

const COLUMNS: readonly Column<Queue>[] = [
  { id: 'name', label: 'Queue', cell: ({ name }) => name, width: 'minmax(118px, 1fr)' },
  {
    id: 'state',
    label: 'State',
    cell: ({ paused }) => (paused ? <Status status="paused" /> : 'Running'),
    width: 'minmax(76px, 0.6fr)',
  },
  count('waiting'),
  count('active'),
  count('delayed'),
  count('failed'),
  {
    id: 'oldest',
    label: 'Oldest job',
    cell: ({ oldestJobAt }) => (oldestJobAt === null ? '' : <Time at={oldestJobAt} />),
    width: 'minmax(96px, 0.8fr)',
  },
  {
    id: 'rate',
    label: WORDS.runs,
    cell: ({ runsPerMinute }) => Math.round(runsPerMinute).toLocaleString(),
    align: 'end',
    width: 'minmax(126px, 0.8fr)',
  },
  {
    id: 'work',
    label: 'Work',
    cell: ({ name }) => QUEUE_WORK[name],
    width: 'minmax(180px, 3fr)',
    optional: 'shown',
  },
];

/** Every queue with its jobs by state. */
export function QueuesPage(): ReactNode {
  const { features } = useSession();
  const list = useList(['queues'], (_, signal) => listQueues({ signal }), { live: ['queue'] });
  return (
    <Page title={WORDS.queues} lead={WORDS.queuesLead} actions={features.bullBoard && <BullBoardLink />}>
      <DataList
        label={WORDS.queues}
        list={list}
        columns={COLUMNS}
        rowKey={({ name }) => name}
        rowLink={({ name }) => ({ to: '/queues/$name', params: { name }, search: {} })}
        empty={<EmptyState title={WORDS.queues} />}
      />
    </Page>
  );
}

/** A page of the api, outside the dashboard. */
function BullBoardLink(): ReactNode {
  return (
    <Button
      component="a"
      href="/app/bull-board/"
      target="_blank"
      rel="noopener"
      variant="default"
      rightSection={<IconExternalLink size={16} />}
    >
      {WORDS.bullBoard}
    </Button>
  );
}
