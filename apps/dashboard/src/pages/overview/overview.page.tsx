import { Grid, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import type { MessageStats } from '@signalbox/client';
import { type ReactNode, useMemo } from 'react';
import type { ChartRow } from '../../parts/chart-props.ts';
import { Chart } from '../../parts/chart.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Legend } from '../../parts/legend.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Attention } from './attention.tsx';
import { Breakdown } from './breakdown.tsx';
import { Figures } from './figures.tsx';
import { FirstMessage } from './first-message.tsx';
import { useLastDay } from './use-figures.ts';
import { WORDS } from './words.ts';

const SERIES = [
  { key: 'accepted', label: WORDS.accepted, color: 'var(--mantine-color-signal-6)' },
  { key: 'delivered', label: WORDS.delivered, color: 'var(--mantine-color-teal-5)' },
  { key: 'failed', label: WORDS.failed, color: 'var(--mantine-color-red-6)' },
] as const;

/** The state of the account at a glance: the last hour, the last day, and what needs a person. */
export function OverviewPage(): ReactNode {
  const day = useLastDay('channel');
  return (
    <Page title={WORDS.title}>
      {day.error && !day.data && <ErrorState failure={day.error} onRetry={() => void day.refetch()} />}
      {day.isPending && <Loading />}
      {day.data && <Content stats={day.data} />}
    </Page>
  );
}

function Content({ stats }: { stats: MessageStats }): ReactNode {
  const isEmpty = stats.total.accepted + stats.total.delivered + stats.total.failed === 0;
  return (
    <Stack gap="lg">
      <Attention />
      {isEmpty ? <FirstMessage /> : <Traffic stats={stats} />}
    </Stack>
  );
}

function Traffic({ stats }: { stats: MessageStats }): ReactNode {
  const { series } = stats;
  const rows = useMemo(() => rowsOf(series), [series]);
  return (
    <>
      <Figures day={stats.total} />
      <Section title={WORDS.traffic} actions={<Legend series={SERIES} />}>
        <Chart label={WORDS.traffic} rows={rows} series={SERIES} height={240} />
      </Section>
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Breakdown by="channel" />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Breakdown by="errCode" />
        </Grid.Col>
      </Grid>
    </>
  );
}

/** The counts of all channels together. */
function rowsOf(series: MessageStats['series']): ChartRow[] {
  const sumAt = (place: number, key: (typeof SERIES)[number]['key']): number =>
    series.reduce((sum, { points }) => sum + points[place]![key], 0);
  return (series[0]?.points ?? []).map(({ at }, place) => ({
    at,
    values: {
      accepted: sumAt(place, 'accepted'),
      delivered: sumAt(place, 'delivered'),
      failed: sumAt(place, 'failed'),
    },
  }));
}

function Loading(): ReactNode {
  return (
    <Stack aria-busy="true" aria-label="Loading">
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        {['a', 'b', 'c', 'd'].map((key) => (
          <Skeleton key={key} height={92} radius="md" />
        ))}
      </SimpleGrid>
      <Skeleton height={280} radius="md" />
    </Stack>
  );
}
