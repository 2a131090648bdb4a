import { Group, Stack } from '@mantine/core';
import { type LaneBacklog, type Lanes, type Queue, getLanes, listQueues } from '@signalbox/client';
import { COUNTED_ROWS } from '@signalbox/domain/limits';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../../api/queries.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useList } from '../../api/use-list.ts';
import { upTo } from '../../parts/counted.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { type Fact, KeyValueRows } from '../../parts/key-value-rows.tsx';
import { TextLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { PauseSwitch } from './pause-switch.tsx';
import { LANES, WORDS } from './words.ts';

const COLUMNS: readonly Column<LaneBacklog>[] = [
  { id: 'account', label: 'Account', cell: ({ accountName }) => accountName, width: 'minmax(140px, 1.4fr)' },
  { id: 'lane', label: 'Lane', cell: ({ lane }) => <LaneLink lane={lane} />, width: 'minmax(190px, 1fr)' },
  {
    id: 'ready',
    label: 'Ready',
    cell: ({ ready }) => upTo(ready, COUNTED_ROWS),
    align: 'end',
    width: '90px',
  },
  {
    id: 'oldest',
    label: 'Oldest',
    width: 'minmax(90px, 0.8fr)',
    cell: ({ oldestReadyAt }) => (oldestReadyAt === null ? '' : <Time at={oldestReadyAt} />),
  },
  { id: 'waits', label: 'Held because', cell: reasonsOf, width: 'minmax(190px, 2.4fr)' },
  {
    id: 'next',
    label: 'Next due',
    width: 'minmax(90px, 0.8fr)',
    cell: ({ nextDueAt }) => (nextDueAt === null ? '' : <Time at={nextDueAt} />),
  },
  {
    id: 'act',
    label: 'Sending',
    isAction: true,
    cell: (row) => <PauseSwitch {...row} />,
    width: 'minmax(110px, 0.8fr)',
  },
];

/** The queue of each lane. */
const QUEUES = {
  OTP: 'sms-otp',
  TRANS: 'sms-trans',
  PROMO: 'sms-promo',
  CHAT_OTP: 'chatapp-otp',
  CHAT: 'chatapp',
} as const satisfies Record<LaneBacklog['lane'], Queue['name']>;

/** The name of a lane as a link to its queue, and whether that is paused: then nothing of the lane is sent. */
function LaneLink({ lane }: { lane: LaneBacklog['lane'] }): ReactNode {
  const name = QUEUES[lane];
  const { data = [] } = useAnswer(['overview', 'queues'], (signal) => listQueues({ signal }), {
    live: ['queue'],
  });
  return (
    <Group gap={6} wrap="nowrap" component="span">
      <TextLink inherit to="/queues/$name" params={{ name }}>
        {LANES[lane]}
      </TextLink>
      {data.some((queue) => queue.name === name && queue.paused) && (
        <Status status="paused" label={WORDS.queuePaused} />
      )}
    </Group>
  );
}

/** Counts of the whole installation. */
type Totals = Pick<Lanes, 'openMessages' | 'waitingPushes'>;

const TOTALS = ['lanes', 'totals'];

/** A page of the backlogs, by account. The answer of the first one has the totals, too. */
async function readBacklogs(after: string | undefined, signal: AbortSignal) {
  const { data, ...outcome } = await getLanes({ query: { ...(after !== undefined && { after }) }, signal });
  if (after === undefined && data) queries.setQueryData<Totals>(TOTALS, data.data);
  return { ...outcome, data: data && { data: data.data.backlogs, nextCursor: data.data.moreAccounts } };
}

/** Sends that wait, by account and lane. */
export function LanesPage(): ReactNode {
  const list = useList(['lanes', 'backlogs'], readBacklogs, { live: ['lane'] });
  const { data: totals } = useQuery<Totals>({ queryKey: TOTALS, enabled: false });
  const open = totals?.openMessages ?? [];
  return (
    <Page title={WORDS.lanes} lead={WORDS.lanesLead}>
      <Stack>
        <DataList
          label={WORDS.lanes}
          list={list}
          columns={COLUMNS}
          rowKey={({ accountId, lane }) => `${accountId} ${lane}`}
          empty={<EmptyState title={WORDS.noBacklog} text={WORDS.noBacklogText} />}
        />
        {open.length > 0 && (
          <Section title={WORDS.openMessages}>
            <KeyValueRows
              facts={open.map(({ gateway, messages }) => [gateway, upTo(messages, COUNTED_ROWS)])}
            />
          </Section>
        )}
        {totals && totals.waitingPushes.pushes > 0 && (
          <Section title={WORDS.waitingPushes}>
            <KeyValueRows facts={pushFacts(totals.waitingPushes)} />
          </Section>
        )}
      </Stack>
    </Page>
  );
}

function pushFacts({ pushes, uncalled, nextAttemptAt }: Lanes['waitingPushes']): Fact[] {
  return [
    [WORDS.calledPushes, pushes === uncalled ? null : upTo(pushes - uncalled, COUNTED_ROWS)],
    [WORDS.nextPush, nextAttemptAt && <Time at={nextAttemptAt} />],
    [WORDS.uncalledPushes, uncalled === 0 ? null : upTo(uncalled, COUNTED_ROWS)],
  ];
}

function reasonsOf({ pausedAt, scheduled, paced, held }: LaneBacklog): string {
  const reasons = [
    [scheduled, 'scheduled'],
    [paced, 'paced'],
    [held, 'in quiet hours or paced'],
  ] as const;
  const counts = reasons
    .filter(([count]) => count > 0)
    .map(([count, reason]) => `${upTo(count, 1_000)} ${count === 1 ? 'send' : 'sends'} ${reason}`);
  return [...(pausedAt === null ? [] : ['account paused']), ...counts].join(', ');
}
