import { Anchor, Paper, SegmentedControl, Stack, Text } from '@mantine/core';
import { type Job, getQueue, listJobs } from '@signalbox/client';
import { Link, getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { useList } from '../../api/use-list.ts';
import { Chart } from '../../parts/chart.tsx';
import { DataList } from '../../parts/data-list.tsx';
import type { Column } from '../../parts/data-list-columns.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { counted } from '../../parts/counted.ts';
import type { JobState } from './operations.routes.tsx';
import { QueueActions } from './queue-actions.tsx';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/queues/$name');

const LIVE_MS = 2_000;

const STATES: readonly JobState[] = ['waiting', 'active', 'delayed', 'failed'];

const SERIES = [
  { key: 'waiting', label: WORDS.waiting, color: 'var(--mantine-color-yellow-6)' },
  { key: 'completed', label: WORDS.runs, color: 'var(--mantine-color-teal-6)' },
  { key: 'failed', label: WORDS.failedRuns, color: 'var(--mantine-color-red-6)' },
];

/** One queue: its last hours, its jobs and its actions. */
export function QueuePage(): ReactNode {
  const { name } = route.useParams();
  const {
    data: queue,
    error,
    refetch,
  } = useAnswer(['queues', name], (signal) => getQueue({ path: { name }, query: { hours: 3 }, signal }), {
    refetchInterval: LIVE_MS,
  });
  const crumbs = [{ label: WORDS.crumb }, { label: WORDS.queues, to: '/queues' as const }];
  if (error && !queue)
    return (
      <Page title={name} crumbs={crumbs}>
        <ErrorState failure={error} onRetry={() => void refetch()} />
      </Page>
    );
  const isPaused = queue?.paused ?? false;
  return (
    <Page
      title={name}
      crumbs={crumbs}
      lead={isPaused ? <Status status="paused" /> : 'Running'}
      actions={queue && <QueueActions queue={queue} />}
    >
      <Stack>
        <Paper withBorder p="md">
          <Text fw={600} mb="xs">
            {WORDS.history}
          </Text>
          <Chart label={WORDS.history} rows={rowsOf(queue?.minutes ?? [])} series={SERIES} kind="line" />
        </Paper>
        <Jobs name={name} />
      </Stack>
    </Page>
  );
}

function rowsOf(
  minutes: readonly { minute: string; completed: number; failed: number; waiting: number | null }[],
) {
  return minutes.map(({ minute, completed, failed, waiting }) => ({
    at: minute,
    values: { completed, failed, waiting: waiting ?? 0 },
  }));
}

function Jobs({ name }: { name: string }): ReactNode {
  const { state = 'waiting' } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList(
    ['queues', name, 'jobs', state],
    (cursor, signal) =>
      listJobs({ path: { name }, query: { state, ...(cursor !== undefined && { cursor }) }, signal }),
    { refetchInterval: LIVE_MS },
  );
  return (
    <DataList
      label="Jobs"
      list={list}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      filters={
        <SegmentedControl
          aria-label="State of the jobs"
          value={state}
          data={STATES.map((each) => ({ value: each, label: WORDS[each] }))}
          onChange={(value) => void navigate({ search: { state: value } })}
        />
      }
      empty={<EmptyState title={WORDS.noJobs} text={WORDS.noJobsText} />}
    />
  );
}

const COLUMNS: readonly Column<Job>[] = [
  { id: 'id', label: 'Job', cell: ({ id }) => id, width: 'minmax(80px, 0.6fr)' },
  { id: 'rows', label: 'Rows', cell: (job) => <JobRows job={job} />, width: 'minmax(180px, 2fr)' },
  { id: 'attempts', label: 'Attempts', cell: ({ attempts }) => attempts, align: 'end', width: '80px' },
  {
    id: 'error',
    label: 'Last error',
    cell: ({ error }) => error,
    optional: 'shown',
    width: 'minmax(140px, 2fr)',
  },
  { id: 'enqueued', label: 'Enqueued', cell: ({ enqueuedAt }) => <Time at={enqueuedAt} /> },
];

function JobRows({ job: { kind, rows, rowCount } }: { job: Job }): ReactNode {
  const [first] = rows;
  const messageId = first?.messageId;
  return (
    <>
      {counted(rowCount, kind)}
      {messageId && (
        <>
          {': '}
          <Anchor
            size="sm"
            renderRoot={(props) => <Link {...props} to="/messages/$messageId" params={{ messageId }} />}
          >
            {messageId}
          </Anchor>
        </>
      )}
    </>
  );
}
