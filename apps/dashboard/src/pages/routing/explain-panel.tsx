import { Alert, Badge, Card, Group, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ExplainRouteData, type RouteExplanation, explainRoute } from '@signalbox/client';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { KeyValueRows } from '../../parts/key-value-rows.tsx';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { TYPE_CHOICES } from '../../parts/type-names.ts';
import { whenValid } from '../../parts/when-valid.ts';
import { type ExplainSearch, readExplainSearch } from './explain-search.ts';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/routes');

/** Stands for the channel of messages without a type. */
const CHAT = 'CHAT';

/** The what-if router: the route that a message would take now, and why each other one is skipped. */
export function ExplainPanel(): ReactNode {
  const search = route.useSearch();
  const { recipient = '' } = search;
  const query = { ...search, recipient } as ExplainRouteData['query'];
  const explanation = useAnswer(['routes', 'explain', search], (signal) => explainRoute({ query, signal }), {
    enabled: recipient !== '',
    keepsPrevious: true,
    live: ['route', 'gateway'],
  });
  return (
    <Card>
      <Stack gap="md">
        <Title order={2}>{WORDS.explain}</Title>
        <Question search={search} />
        <FailureAlert failure={explanation.error} />
        {recipient !== '' && explanation.data && <Answer explanation={explanation.data} />}
      </Stack>
    </Card>
  );
}

function Question({ search }: { search: ExplainSearch }): ReactNode {
  const navigate = route.useNavigate();
  const form = useForm({
    initialValues: {
      recipient: search.recipient ?? '',
      type: search.channel === 'chatapp' ? CHAT : (search.type ?? 'TRANS'),
      sender: search.sender ?? '',
    },
  });
  const ask = ({ recipient, type, sender }: typeof form.values) =>
    void navigate({
      search: readExplainSearch({
        recipient,
        sender,
        ...(type === CHAT ? { channel: 'chatapp' } : { type }),
      }),
      replace: true,
      resetScroll: false,
    });
  return (
    <Form isCheckedByBrowser onSubmit={whenValid(form, ask)}>
      <Group align="flex-end" gap="sm">
        <TextInput
          label={WORDS.recipient}
          required
          flex="1 1 180px"
          inputMode="tel"
          placeholder="919812345678"
          {...form.getInputProps('recipient')}
        />
        <Select
          label={WORDS.type}
          data={[...TYPE_CHOICES, { value: CHAT, label: 'Chat app' }]}
          allowDeselect={false}
          flex="1 1 180px"
          {...form.getInputProps('type')}
        />
        <TextInput label={WORDS.sender} maxLength={20} flex="1 1 180px" {...form.getInputProps('sender')} />
        <SubmitButton>{WORDS.ask}</SubmitButton>
      </Group>
    </Form>
  );
}

function Answer({ explanation }: { explanation: RouteExplanation }): ReactNode {
  const { reason, route: taken, routes } = explanation;
  return (
    <Stack gap="sm">
      <Alert color={taken === null ? 'yellow' : 'teal'} title={reason} role="status" />
      {routes.map((each) => (
        <ExplainedRoute key={each.id} route={each} />
      ))}
    </Stack>
  );
}

function ExplainedRoute({ route: each }: { route: RouteExplanation['routes'][number] }): ReactNode {
  return (
    <Stack gap={4}>
      <Group gap="sm">
        <Text fw={600}>{each.name}</Text>
        <Badge variant="light" color={each.isTaken ? 'teal' : 'gray'} tt="none" radius="sm">
          {each.isTaken ? WORDS.taken : WORDS.skipped}
        </Badge>
        <Text size="sm" c="dimmed">
          {each.passedOver ?? ''}
        </Text>
      </Group>
      <KeyValueRows facts={each.gateways.map((target) => [target.gateway, shareText(target)])} />
    </Stack>
  );
}

/** `weight 3, health 100 %: healthy` */
function shareText({
  role,
  weight,
  health,
  problem,
}: RouteExplanation['routes'][number]['gateways'][number]): string {
  const share = role === 'fallback' ? role : `weight ${weight ?? 1}`;
  return `${share}, health ${health.toLocaleString(undefined, { style: 'percent' })}: ${problem ?? 'healthy'}`;
}
