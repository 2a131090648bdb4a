import {
  Button,
  Card,
  Group,
  SegmentedControl,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Table,
  Title,
} from '@mantine/core';
import { type Usage, getUsage } from '@signalbox/client';
import { quoteFormulas } from '@signalbox/domain/formulas';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { CHANNEL_CHOICES } from '../../parts/channel-name.ts';
import { Chart } from '../../parts/chart.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Figure } from '../../parts/figure.tsx';
import { Legend } from '../../parts/legend.tsx';
import { Page } from '../../parts/page.tsx';
import { PERIODS, WORDS } from './words.ts';

const route = getRouteApi('/shell/usage');
const DAY_MS = 86_400_000;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** Days ago up to which days of any zone are counted, less a minute for the time until the server asks its clock. */
const MAX_AGO_MS = 89 * DAY_MS - 60_000;

const COLORS = [
  'signal-6',
  'teal-6',
  'orange-6',
  'grape-6',
  'cyan-7',
  'lime-8',
  'pink-6',
  'blue-4',
  'yellow-8',
  'gray-6',
];

const PERIOD_CHOICE = Object.entries(PERIODS).map(([value, label]) => ({ value, label }));
const SPLIT_CHOICE = [
  { value: '', label: WORDS.byDay },
  { value: 'channel', label: WORDS.byChannel },
  { value: 'sender', label: WORDS.bySender },
];

/** Messages and credits by day, by channel or sender. */
export function UsagePage(): ReactNode {
  const { days = '30', by } = route.useSearch();
  const usage = useAnswer(
    ['usage', days, by],
    (signal) => {
      const from = firstOf(Number(days)).toISOString();
      return getUsage({ query: { from, zone: ZONE, ...(by && { by }) }, signal });
    },
    { refetchInterval: 30_000, keepsPrevious: true },
  );
  return (
    <Page title={WORDS.title} lead={WORDS.lead} actions={usage.data && <Download usage={usage.data} />}>
      <Stack>
        <Choice />
        <Content usage={usage.data} failure={usage.error} onRetry={() => void usage.refetch()} />
      </Stack>
    </Page>
  );
}

/** The beginning of the first of the last days of the calendar, or a moment of that day. */
function firstOf(days: number): Date {
  const now = new Date();
  const first = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (days - 1));
  return new Date(Math.max(first.getTime(), now.getTime() - MAX_AGO_MS));
}

function Choice(): ReactNode {
  const search = route.useSearch();
  const navigate = useNavigate();
  return (
    <Group>
      <Select
        aria-label={WORDS.period}
        data={PERIOD_CHOICE}
        value={search.days ?? '30'}
        allowDeselect={false}
        w={160}
        onChange={(value) =>
          void navigate({ to: '/usage', search: { ...search, days: value as keyof typeof PERIODS } })
        }
      />
      <SegmentedControl
        aria-label={WORDS.split}
        data={SPLIT_CHOICE}
        value={search.by ?? ''}
        onChange={(value) => {
          const { by: _, ...rest } = search;
          const by = value as 'sender' | 'channel' | '';
          void navigate({ to: '/usage', search: by === '' ? rest : { ...rest, by } });
        }}
      />
    </Group>
  );
}

interface ContentProps {
  usage: Usage | undefined;
  failure: unknown;
  onRetry: () => void;
}

function Content({ usage, failure, onRetry }: ContentProps): ReactNode {
  if (failure && !usage) return <ErrorState failure={failure} onRetry={onRetry} />;
  if (!usage) return <Skeleton height={320} />;
  if (usage.total.messages === 0) return <EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText} />;
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <Figure label={WORDS.credits} value={usage.total.credits.toLocaleString()} />
        <Figure label={WORDS.messages} value={usage.total.messages.toLocaleString()} />
      </SimpleGrid>
      <Card>
        <UsageChart usage={usage} />
      </Card>
      <Card>
        <Groups usage={usage} />
      </Card>
    </>
  );
}

/** A group as the file names it. */
const groupOf = ({ group, isRest }: Usage['series'][number]): string =>
  isRest ? WORDS.others : (group ?? WORDS.credits);

/** A group as the page names it. */
function nameOf(series: Usage['series'][number], by: Usage['by']): string {
  const group = groupOf(series);
  return (by === 'channel' && CHANNEL_CHOICES.find(({ value }) => value === group)?.label) || group;
}

function UsageChart({ usage }: { usage: Usage }): ReactNode {
  const rows = useMemo(
    () =>
      (usage.series[0]?.days ?? []).map(({ at }, i) => ({
        at,
        values: Object.fromEntries(usage.series.map((each, n) => [String(n), each.days[i]?.credits ?? 0])),
      })),
    [usage],
  );
  const series = usage.series.map((each, n) => ({
    key: String(n),
    label: nameOf(each, usage.by),
    color: `var(--mantine-color-${COLORS[n % COLORS.length]})`,
  }));
  return (
    <>
      <Title order={2} mb="xs">
        {WORDS.chart}
      </Title>
      {series.length > 1 && <Legend series={series} />}
      <Chart
        label={WORDS.credits}
        kind="bar"
        stacked
        rows={rows}
        series={series}
        zone={usage.zone}
        height={260}
      />
    </>
  );
}

function Groups({ usage }: { usage: Usage }): ReactNode {
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: usage.zone });
  const rows =
    usage.by === null
      ? (usage.series[0]?.days ?? [])
          .filter(({ messages }) => messages > 0)
          .map(({ at, ...use }) => ({ name: day.format(new Date(at)), ...use }))
          .toReversed()
      : usage.series.map((each) => ({ name: nameOf(each, usage.by), ...each.total }));
  return (
    <Table.ScrollContainer minWidth={280}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{usage.by === null ? WORDS.day : WORDS[usage.by]}</Table.Th>
            <Table.Th ta="right">{WORDS.messages}</Table.Th>
            <Table.Th ta="right">{WORDS.credits}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ name, messages, credits }) => (
            <Table.Tr key={name}>
              <Table.Td>{name}</Table.Td>
              <Table.Td ta="right">{messages.toLocaleString()}</Table.Td>
              <Table.Td ta="right">{credits.toLocaleString()}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** A link to the shown figures as CSV. */
function Download({ usage }: { usage: Usage }): ReactNode {
  const href = useMemo(() => `data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(usage))}`, [usage]);
  return (
    <Button variant="default" component="a" href={href} download="usage.csv">
      {WORDS.download}
    </Button>
  );
}

function csvOf({ series, zone }: Usage): string {
  const day = new Intl.DateTimeFormat('sv', { timeZone: zone }); // 2026-11-29
  const lines = series.flatMap((each) =>
    each.days.map(({ at, messages, credits }) =>
      [day.format(new Date(at)), cell(groupOf(each)), messages, credits].join(','),
    ),
  );
  return ['day,group,messages,credits', ...lines].join('\r\n');
}

function cell(text: string): string {
  return `"${quoteFormulas(text).replaceAll('"', '""')}"`;
}
