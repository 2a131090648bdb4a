import { Alert, SimpleGrid, Stack, Text } from '@mantine/core';
import { type Gateway, getGateway, getMessageStats } from '@signalbox/client';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { durations } from '../../parts/duration.ts';
import { Figure } from '../../parts/figure.tsx';
import { type Fact, KeyValueRows } from '../../parts/key-value-rows.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { CHANNEL_NAMES } from '../../parts/channel-name.ts';
import { GatewayActions } from './gateway-actions.tsx';
import { IdRule } from './id-rule.tsx';
import { WORDS, settingLabel } from './words.ts';
import { Workers } from './workers.tsx';

const route = getRouteApi('/shell/gateways/$name');

/** One gateway: its state as a sentence, its figures, its workers, its settings. */
export function GatewayPage(): ReactNode {
  const { name } = route.useParams();
  const gateway = useAnswer(['gateways', name], (signal) => getGateway({ path: { name }, signal }), {
    live: ['gateway'],
  });
  return (
    <Page
      title={name}
      status={gateway.data && <Status status={gateway.data.state.status} />}
      lead={gateway.data?.state.reason}
      actions={gateway.data && <GatewayActions gateway={gateway.data} />}
    >
      <Loaded answer={gateway} height={360}>
        {(data) => <Content gateway={data} />}
      </Loaded>
    </Page>
  );
}

function Content({ gateway }: { gateway: Gateway }): ReactNode {
  return (
    <Stack gap="lg">
      {gateway.source === 'file' && <Alert>{WORDS.fileNotice}</Alert>}
      <SimpleGrid cols={{ base: 2, md: 3, lg: 5 }}>
        {(['accepted', 'refused', 'delivered', 'failed'] as const).map((name) => (
          <Figure
            key={name}
            label={`${WORDS[name]}, ${WORDS.hour.toLowerCase()}`}
            value={gateway.lastHour[name].toLocaleString()}
          />
        ))}
        <Latency name={gateway.name} />
      </SimpleGrid>
      <Workers name={gateway.name} />
      <Section title={WORDS.details}>
        <KeyValueRows facts={factsOf(gateway)} />
      </Section>
      <IdRule gateway={gateway} />
      <Section title={WORDS.settings}>
        <Settings settings={gateway.settings} />
      </Section>
    </Stack>
  );
}

/** Times from acceptance to delivery, of messages that the account sent by the gateway. */
function Latency({ name }: { name: string }): ReactNode {
  const { data } = useAnswer(
    ['gateways', name, 'latency'],
    (signal) => getMessageStats({ query: { gateway: name }, signal }),
    { live: ['message'], pace: 15_000 },
  );
  return <Figure label={WORDS.latency} value={data && durations(data.total)} hint={WORDS.latencyHint} />;
}

function Settings({ settings }: Pick<Gateway, 'settings'>): ReactNode {
  const facts = settingFacts(settings);
  return facts.length === 0 ? <Text size="sm">{WORDS.noSettings}</Text> : <KeyValueRows facts={facts} />;
}

/** The settings by their labels, and the nested ones by their paths. */
function settingFacts(settings: object, path = ''): Fact[] {
  return Object.entries(settings).flatMap(([name, value]: [string, unknown]): Fact[] => {
    if (isGroup(value)) return settingFacts(value, `${path}${name}.`);
    return [[path === '' ? settingLabel(name) : `${path}${name}`, settingText(value)]];
  });
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function settingText(value: unknown): string {
  if (typeof value === 'boolean') return value ? WORDS.yes : WORDS.no;
  if (value === null || value === undefined) return WORDS.none;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function factsOf(gateway: Gateway): Fact[] {
  const { kind, channel, ratePerSecond, callbackUrl, secrets, source, state, updatedAt } = gateway;
  return [
    [WORDS.kind, WORDS.kinds[kind] ?? kind],
    [WORDS.channel, CHANNEL_NAMES[channel]],
    [WORDS.since, state.since && <Time at={state.since} />],
    [WORDS.rate, ratePerSecond === null ? WORDS.noLimit : `${ratePerSecond.toLocaleString()} per second`],
    [WORDS.callbackUrl, callbackUrl && <Copyable text={callbackUrl} label="callback address" />],
    ...Object.entries(secrets).map(
      ([name, isSet]): Fact => [settingLabel(name), isSet === true ? WORDS.isSet : WORDS.notSet],
    ),
    [WORDS.source, WORDS.sources[source] ?? source],
    ['Changed', <Time key="changed" at={updatedAt} as="full" />],
  ];
}
