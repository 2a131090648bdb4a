import { SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import {
  type EndpointStats,
  type Webhook,
  type WebhookHealth,
  getWebhookStats,
  listWebhookHealth,
} from '@signalbox/client';
import { type ReactNode, useState } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { Chart } from '../../parts/chart.tsx';
import { counted, upTo } from '../../parts/counted.ts';
import { Figure } from '../../parts/figure.tsx';
import { percent } from '../../parts/percent.ts';
import { Section } from '../../parts/section.tsx';
import { Due, holdOf } from './due.tsx';
import { healthText, sumCalls } from './health-text.ts';
import { milliseconds } from './timings.tsx';
import { WORDS } from './words.ts';

const SERIES = [
  { key: 'accepted', label: WORDS.accepted, color: 'var(--mantine-color-teal-6)' },
  { key: 'failed', label: WORDS.failed, color: 'var(--mantine-color-red-6)' },
] as const;

/** Breaker, backlog, speed, and the calls by hour as a chart. */
export function HealthPanel({
  webhook,
  health,
}: {
  webhook: Webhook;
  health: WebhookHealth | undefined;
}): ReactNode {
  const webhookId = webhook.id;
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
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Figure
          label={WORDS.endpoint}
          value={endpointText(webhook, health)}
          detail={
            isHeld(webhook, health) && health?.openUntil ? <NextTry at={health.openUntil} /> : undefined
          }
        />
        <Figure label="Backlog" value={backlogText(webhook, health)} />
        <Figure label="Calls that succeeded, latest 1,000 deliveries" value={percent(latest?.successRate)} />
        <Figure label={WORDS.durations} value={durationText(latest)} />
      </SimpleGrid>
      <CallsChart webhookId={webhookId} />
    </Stack>
  );
}

/** The count of pending pushes, and the next call unless something holds it. */
function backlogText(webhook: Webhook, health: WebhookHealth | undefined): ReactNode {
  if (!health) return undefined;
  const { backlog, backlogCountedTo, nextAttemptAt } = health;
  const hasNext = nextAttemptAt !== null && holdOf(webhook, health) === undefined;
  return (
    <>
      {upTo(backlog, backlogCountedTo)}
      {hasNext && (
        <Text span size="sm" c="dimmed" ml={6}>
          next <Due at={nextAttemptAt} />
        </Text>
      )}
    </>
  );
}

function durationText(latest: EndpointStats['latest'] | undefined): ReactNode {
  if (latest?.p50Ms === null || latest === undefined) return undefined;
  return `${milliseconds(latest.p50Ms)} / ${milliseconds(latest.p95Ms ?? 0)}`;
}

/** The state of the endpoint, which is not called while the configuration is disabled. */
function endpointText(webhook: Webhook, health: WebhookHealth | undefined): ReactNode {
  if (!health) return undefined;
  if (webhook.status === 'disabled') return WORDS.notCalled;
  return isHeld(webhook, health) ? WORDS.held : healthText(webhook, health).word;
}

/** Is true while the breaker keeps calls from the endpoint. */
function isHeld(webhook: Webhook, health: WebhookHealth | undefined): boolean {
  return webhook.status === 'enabled' && health?.breaker === 'open';
}

function NextTry({ at }: { at: string }): ReactNode {
  return (
    <>
      next try <Due at={at} />
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
    <Section
      title={WORDS.calls}
      lead={shown && callsText(shown)}
      actions={
        <SegmentedControl size="xs" aria-label="Period" data={periods} value={hours} onChange={setHours} />
      }
    >
      {shown ? (
        <Chart label={WORDS.calls} rows={rows} series={SERIES} kind="bar" stacked height={180} />
      ) : (
        <Skeleton height={180} />
      )}
    </Section>
  );
}

function callsText(health: WebhookHealth): string {
  const { calls, failures } = sumCalls(health);
  return `${counted(calls, 'call')}, ${failures.toLocaleString()} failed`;
}
