import { Box, Group, Paper, SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { type Job, type QueueHistory, getQueue, listJobs } from '@signalbox/client';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { useList } from '../../api/use-list.ts';
import type { Series } from '../../parts/chart-props.ts';
import { Chart } from '../../parts/chart.tsx';
import { counted } from '../../parts/counted.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Legend } from '../../parts/legend.tsx';
import { TextLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { useNow } from '../../parts/use-now.ts';
import { JOB_STATES } from './operations-search.ts';
import { QueueActions } from './queue-actions.tsx';
import { MINUTE_MS, rowsOf } from './queue-rows.ts';
import { QUEUE_WORK, WORDS } from './words.ts';

const route = getRouteApi('/shell/queues/$name');

const JOBS = [
  { key: 'waiting', label: WORDS.waiting, color: 'var(--mantine-color-yellow-6)' },
  { key: 'active', label: WORDS.active, color: 'var(--mantine-color-blue-6)' },
  { key: 'delayed', label: WORDS.delayed, color: 'var(--mantine-color-gray-6)' },
];
const RUNS = [
  { key: 'completed', label: WORDS.succeeded, color: 'var(--mantine-color-teal-6)' },
  { key: 'failed', label: WORDS.failed, color: 'var(--mantine-color-red-6)' },
];
const HOURS = ['1', '3', '12', '24'];

/** One queue: its last hours, its jobs and its actions. */
export function QueuePage(): ReactNode {
  const { name } = route.useParams();
  const {
    data: queue,
    error,
    refetch,
  } = useAnswer(['queues', name], (signal) => getQueue({ path: { name }, query: { hours: 1 }, signal }), {
    live: ['queue'],
  });
  if (error && !queue)
    return (
      <Page title={name}>
        <ErrorState failure={error} onRetry={() => void refetch()} />
      </Page>
    );
  const isPaused = queue?.paused ?? false;
  return (
    <Page
      title={name}
      status={isPaused ? <Status status="paused" /> : undefined}
      lead={(QUEUE_WORK as Readonly<Record<string, string>>)[name]}
      actions={queue && <QueueActions queue={queue} />}
    >
      <Stack>
        <History name={name} />
        <Jobs name={name} />
      </Stack>
    </Page>
  );
}

type Minute = QueueHistory['minutes'][number];

/** The jobs of the last hours and their runs, by minute. Minutes are kept for a day. */
function History({ name }: { name: string }): ReactNode {
  const [hours, setHours] = useState('3');
  const history = useAnswer(
    ['queues', name, 'history', hours],
    (signal) => getQueue({ path: { name }, query: { hours: Number(hours) }, signal }),
    { refetchInterval: MINUTE_MS, keepsPrevious: true },
  );
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="xs">
        <Title order={2}>{WORDS.history}</Title>
        <SegmentedControl
          size="xs"
          aria-label={WORDS.hours}
          value={hours}
          onChange={setHours}
          data={HOURS.map((value) => ({ value, label: `${value} h` }))}
        />
      </Group>
      <Loaded answer={history} height={220}>
        {({ minutes }) => <Charts minutes={minutes} readMs={history.dataUpdatedAt} />}
      </Loaded>
    </Paper>
  );
}

function Charts({ minutes, readMs }: { minutes: readonly Minute[]; readMs: number }): ReactNode {
  const now = useNow(MINUTE_MS);
  const untilMs = Math.min(now, readMs || now); // the answer for other hours, shown meanwhile, has no time
  const rows = useMemo(() => rowsOf(minutes, untilMs), [minutes, untilMs]);
  if (rows.length === 0)
    return (
      <Text c="dimmed" size="sm">
        {WORDS.noMinutes}
      </Text>
    );
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Labelled label={WORDS.jobs} series={JOBS}>
        <Chart label={WORDS.jobs} rows={rows} series={JOBS} kind="line" />
      </Labelled>
      <Labelled label={WORDS.runs} series={RUNS}>
        <Chart label={WORDS.runs} rows={rows} series={RUNS} kind="line" />
      </Labelled>
    </SimpleGrid>
  );
}

interface LabelledProps {
  label: string;
  series: readonly Series[];
  children: ReactNode;
}

/** A chart with its name and the colours of its lines. */
function Labelled({ label, series, children }: LabelledProps): ReactNode {
  return (
    <Box miw={0}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm" c="dimmed">
          {label}
        </Text>
        <Legend series={series} />
      </Group>
      {children}
    </Box>
  );
}

function Jobs({ name }: { name: string }): ReactNode {
  const { state = 'waiting' } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList(
    ['queues', name, 'jobs', state],
    (cursor, signal) =>
      listJobs({ path: { name }, query: { state, ...(cursor !== undefined && { cursor }) }, signal }),
    { live: ['queue'] },
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
          data={JOB_STATES.map((each) => ({ value: each, label: WORDS[each] }))}
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
          <TextLink size="sm" to="/messages/$messageId" params={{ messageId }}>
            {messageId}
          </TextLink>
        </>
      )}
    </>
  );
}
