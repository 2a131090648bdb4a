import { Card, Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type WebhookHealth, getWebhookStats, listWebhookHealth } from '@signalbox/client';
import { type ReactNode, useState } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { Chart } from '../../parts/chart.tsx';
import { counted } from '../../parts/counted.ts';
import { Due } from './due.tsx';
import { sumCalls, upTo } from './health-text.ts';
import { milliseconds } from './timings.tsx';
import { WORDS } from './words.ts';

const SERIES = [
  { key: 'accepted', label: WORDS.accepted, color: 'var(--mantine-color-teal-6)' },
  { key: 'failed', label: WORDS.failed, color: 'var(--mantine-color-red-6)' },
] as const;

/** Breaker, backlog, speed, and the calls by hour as a chart. */
export function HealthPanel({
  webhookId,
  health,
}: {
  webhookId: string;
  health: WebhookHealth | undefined;
}): ReactNode {
  const stats = useAnswer(
    ['webhooks', webhookId, 'stats'],
    (signal) => getWebhookStats({ path: { id: webhookId }, signal }),
    {
      refetchInterval: 15_000,
    },
  );
  const latest = stats.data?.latest;
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure label="Breaker">{breakerText(health)}</Figure>
        <Figure label="Backlog">
          {health ? upTo(health.backlog, health.backlogCountedTo) : '–'}
          {health?.nextAttemptAt && (
            <Text span size="sm" c="dimmed" ml={6}>
              next <Due at={health.nextAttemptAt} />
            </Text>
          )}
        </Figure>
        <Figure label="Calls that succeeded, latest 1,000 deliveries">
          {latest?.successRate === null || latest === undefined
            ? '–'
            : latest.successRate.toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 1 })}
        </Figure>
        <Figure label="Duration, half and 95 % of calls">
          {latest?.p50Ms === null || latest === undefined
            ? '–'
            : `${milliseconds(latest.p50Ms)} · ${milliseconds(latest.p95Ms ?? 0)}`}
        </Figure>
      </SimpleGrid>
      <CallsChart webhookId={webhookId} />
    </Stack>
  );
}

function Figure({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <Card padding="sm">
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text component="div" fw={600} size="lg">
        {children}
      </Text>
    </Card>
  );
}

function breakerText(health: WebhookHealth | undefined): ReactNode {
  if (!health) return '–';
  if (health.breaker === 'closed') return 'Closed';
  return (
    <>
      Open
      {health.openUntil !== null && (
        <Text span size="sm" c="dimmed" ml={6}>
          probe <Due at={health.openUntil} />
        </Text>
      )}
    </>
  );
}

function CallsChart({ webhookId }: { webhookId: string }): ReactNode {
  const [hours, setHours] = useState('24');
  const health = useAnswer(
    ['webhooks', webhookId, 'hours', hours],
    (signal) => listWebhookHealth({ query: { webhookId, hours: Number(hours) }, signal }),
    { refetchInterval: 10_000, keepsPrevious: true },
  );
  const [shown] = health.data ?? [];
  const rows = (shown?.hours ?? []).map(({ at, calls, failures }) => ({
    at,
    values: { accepted: calls - failures, failed: failures },
  }));
  const periods = Object.entries(WORDS.periods).map(([value, label]) => ({ value, label }));
  return (
    <Card>
      <Group justify="space-between" mb="sm">
        <div>
          <Title order={2}>{WORDS.calls}</Title>
          {shown && (
            <Text size="sm" c="dimmed">
              {`${counted(sumCalls(shown).calls, 'call')}, ${sumCalls(shown).failures.toLocaleString()} failed`}
            </Text>
          )}
        </div>
        <SegmentedControl size="xs" aria-label="Period" data={periods} value={hours} onChange={setHours} />
      </Group>
      {shown ? (
        <Chart label={WORDS.calls} rows={rows} series={SERIES} kind="bar" stacked height={180} />
      ) : (
        <Skeleton height={180} />
      )}
    </Card>
  );
}
