import { Card, Code, Stack } from '@mantine/core';
import type { Webhook } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Copyable } from '../../parts/copyable.tsx';
import { type Fact, KeyValueRows } from '../../parts/key-value-rows.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';
import { CHANNEL_NAMES } from '../../parts/channel-name.ts';
import { Verification } from './verification.tsx';
import { WORDS } from './words.ts';

/** The settings of a configuration, and how a receiver verifies its pushes. */
export function SettingsPanel({ webhook }: { webhook: Webhook }): ReactNode {
  return (
    <Stack gap="md">
      <Section title={WORDS.settings}>
        <KeyValueRows facts={factsOf(webhook)} />
      </Section>
      <Card>
        <Verification method={webhook.method} />
      </Card>
    </Stack>
  );
}

function factsOf(webhook: Webhook): Fact[] {
  const {
    channel,
    provider,
    headers,
    fields,
    events,
    intermediate,
    filters,
    schedule,
    maxInFlight,
    ratePerSecond,
    batch,
  } = webhook;
  return [
    ['Id', <Copyable key="id" text={webhook.id} label="webhook id" />],
    [WORDS.channel, CHANNEL_NAMES[channel]],
    [WORDS.provider, provider],
    [WORDS.headers, headers.length === 0 ? 'None' : <Headers headers={headers} />],
    [WORDS.fields, listed(fields)],
    [WORDS.events, listed(events)],
    [WORDS.intermediate, channel === 'sms' ? yesNo(intermediate) : null],
    ...Object.entries(filters).map(([name, values]): Fact => [`Only ${name}`, listed(values)]),
    [WORDS.schedule, schedule === null ? WORDS.defaultSchedule : schedule.join(', ') || 'One attempt only'],
    [WORDS.maxInFlight, maxInFlight],
    [WORDS.ratePerSecond, ratePerSecond ?? WORDS.noLimit],
    [WORDS.batch, batch ? `Up to ${batch.max}, waiting up to ${batch.waitMs} ms` : WORDS.noBatch],
    ['Old secrets sign until', webhook.oldSecretsUntil && <Time at={webhook.oldSecretsUntil} as="full" />],
    ['Changed', <Time key="changed" at={webhook.updatedAt} as="full" />],
  ];
}

function Headers({ headers }: { headers: Webhook['headers'] }): ReactNode {
  return headers.map(({ key, value }) => (
    <div key={key}>
      <Code>{`${key}: ${value}`}</Code>
    </div>
  ));
}

function listed(values: readonly string[]): string | null {
  return values.length === 0 ? null : values.join(', ');
}

function yesNo(flag: boolean): string {
  return flag ? 'Yes' : 'No';
}
