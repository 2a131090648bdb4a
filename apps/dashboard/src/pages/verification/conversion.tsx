import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type VerifyStats, getVerifyStats } from '@signalbox/client';
import { type ReactNode, useMemo } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { Chart } from '../../parts/chart.tsx';
import type { ChartRow } from '../../parts/chart-props.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Legend } from '../../parts/legend.tsx';
import { WORDS } from './words.ts';

const DAY_MS = 86_400_000;

const SERIES = [
  { key: 'sent', label: WORDS.sent, color: 'var(--mantine-color-gray-5)' },
  { key: 'verified', label: WORDS.verified, color: 'var(--mantine-color-teal-6)' },
];

/** Codes sent and verified in the last 30 days, of one configuration or all. */
export function Conversion({ configId }: { configId?: string }): ReactNode {
  const stats = useAnswer(
    ['verification', 'stats', configId],
    (signal) => getVerifyStats({ query: { by: 'day', ...(configId && { configId }) }, signal }),
    { refetchInterval: 30_000 },
  );
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {WORDS.conversion}
      </Title>
      <Loaded answer={stats} height={200}>
        {(data) => <Content stats={data} />}
      </Loaded>
    </Paper>
  );
}

function Content({ stats }: { stats: VerifyStats }): ReactNode {
  const rows = useMemo(() => rowsOf(stats), [stats]);
  const { sent, verified, conversion, p50Seconds, p95Seconds } = stats.total;
  if (sent === 0) return <Text c="dimmed">{WORDS.noCodes}</Text>;
  return (
    <Stack>
      <Group gap="xl">
        <Figure label={WORDS.sent} value={sent.toLocaleString()} />
        <Figure label={WORDS.verified} value={verified.toLocaleString()} />
        <Figure label={WORDS.conversion} value={percent(conversion)} />
        <Figure label="Half verified within" value={seconds(p50Seconds)} />
        <Figure label="95 % verified within" value={seconds(p95Seconds)} />
      </Group>
      <Legend series={SERIES} />
      <Chart label={WORDS.conversion} kind="bar" rows={rows} series={SERIES} height={200} />
    </Stack>
  );
}

function Figure({ label, value }: { label: string; value: string }): ReactNode {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={22} fw={650} lh={1.2}>
        {value}
      </Text>
    </div>
  );
}

/** Renders a share of 0 to 1. */
export function percent(share: number | null): string {
  return share === null ? '–' : `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}

const seconds = (value: number | null): string => (value === null ? '–' : `${value.toLocaleString()} s`);

/** Every day of the range, with zeros where no code was sent. */
function rowsOf({ from, to, groups }: VerifyStats): ChartRow[] {
  const of = new Map(groups.map((group) => [group.day, group]));
  const rows: ChartRow[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) {
    const day = new Date(at).toISOString();
    const found = of.get(day.slice(0, 10));
    rows.push({ at: day, values: { sent: found?.sent ?? 0, verified: found?.verified ?? 0 } });
  }
  return rows;
}
