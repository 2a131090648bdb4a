import { SimpleGrid, Stack, Text } from '@mantine/core';
import { type VerifyStats, getVerifyStats } from '@signalbox/client';
import { type ReactNode, useMemo } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import type { ChartRow } from '../../parts/chart-props.ts';
import { Chart } from '../../parts/chart.tsx';
import { Figure } from '../../parts/figure.tsx';
import { Legend } from '../../parts/legend.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { percent } from '../../parts/percent.ts';
import { Section } from '../../parts/section.tsx';
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
    <Section title={WORDS.conversion}>
      <Loaded answer={stats} height={200}>
        {(data) => <Content stats={data} />}
      </Loaded>
    </Section>
  );
}

function Content({ stats }: { stats: VerifyStats }): ReactNode {
  const rows = useMemo(() => rowsOf(stats), [stats]);
  const { sent, verified, conversion, p50Seconds, p95Seconds } = stats.total;
  if (sent === 0) return <Text c="dimmed">{WORDS.noCodes}</Text>;
  return (
    <Stack>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
        <Figure label={WORDS.sent} value={sent.toLocaleString()} />
        <Figure label={WORDS.verified} value={verified.toLocaleString()} />
        <Figure label={WORDS.conversion} value={percent(conversion)} />
        <Figure label="Half verified within" value={seconds(p50Seconds)} />
        <Figure label="95% verified within" value={seconds(p95Seconds)} />
      </SimpleGrid>
      <Legend series={SERIES} />
      <Chart label={WORDS.conversion} kind="bar" rows={rows} series={SERIES} zone="UTC" height={200} />
    </Stack>
  );
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
