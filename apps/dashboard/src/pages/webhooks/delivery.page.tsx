import { Card, Stack, Text, Title } from '@mantine/core';
import {
  type Delivery,
  type Webhook,
  type WebhookHealth,
  getWebhook,
  previewWebhook,
} from '@signalbox/client';
import { IconRepeat } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { useMay } from '../../app/use-session.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { type Fact, KeyValueRows } from '../../parts/key-value-rows.tsx';
import { TextLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { AttemptView } from './attempt-view.tsx';
import { NextAttempt } from './due.tsx';
import { reasonText } from './reasons.ts';
import { RequestView } from './request-view.tsx';
import { useDelivery, useReplay } from './use-delivery.ts';
import { useHealth } from './use-health.ts';
import { bodyOf, valuesOf } from './webhook-values.ts';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/deliveries/$deliveryId');

/** One delivery: its request, and every call with its answer and timing. */
export function DeliveryPage(): ReactNode {
  const { deliveryId } = route.useParams();
  const delivery = useDelivery(deliveryId);
  const webhookId = delivery.data?.webhookId ?? '';
  const webhook = useAnswer(
    ['webhooks', webhookId],
    (signal) => getWebhook({ path: { id: webhookId }, signal }),
    { enabled: webhookId !== '' },
  );
  return (
    <Page
      title={WORDS.delivery1}
      parent={webhook.data && { label: webhook.data.name, to: '/webhooks/$webhookId', params: { webhookId } }}
      status={delivery.data && <Status status={delivery.data.status} />}
      actions={delivery.data && <ReplayOne delivery={delivery.data} />}
    >
      <Loaded answer={delivery} height={360}>
        {(data) => <Content delivery={data} webhook={webhook.data} />}
      </Loaded>
    </Page>
  );
}

function ReplayOne({ delivery }: { delivery: Delivery }): ReactNode {
  const replay = useReplay(delivery.id, WORDS.replayed);
  if (!useMay('webhooks')) return null;
  return (
    <ActionButton leftSection={<IconRepeat size={16} />} onAct={() => replay.mutateAsync()}>
      {WORDS.replay}
    </ActionButton>
  );
}

function Content({ delivery, webhook }: { delivery: Delivery; webhook: Webhook | undefined }): ReactNode {
  const { attempts, webhookId } = delivery;
  const health = useHealth(webhookId);
  return (
    <Stack gap="lg">
      <Card>
        <KeyValueRows facts={factsOf(delivery, webhook, health)} />
      </Card>
      <Stack gap="sm">
        <Title order={2}>{WORDS.attempts}</Title>
        {attempts.length === 0 && <Text c="dimmed">{WORDS.noAttempts}</Text>}
        {attempts
          .map((attempt, i) => <AttemptView key={`${attempt.at} ${i}`} attempt={attempt} number={i + 1} />)
          .toReversed()}
      </Stack>
      <RequestNow delivery={delivery} />
    </Stack>
  );
}

function factsOf(
  delivery: Delivery,
  webhook: Webhook | undefined,
  health: WebhookHealth | undefined,
): Fact[] {
  const { id, webhookId, messageId, recipient, messageStatus, event, status, reason, createdAt } = delivery;
  return [
    ['webhook-id', <Copyable key="id" text={id} label="webhook-id" />],
    [
      'Configuration',
      <TextLink key="webhook" to="/webhooks/$webhookId" params={{ webhookId }}>
        <WebhookName id={webhookId} />
      </TextLink>,
    ],
    [
      WORDS.message,
      <Copyable key="message" text={messageId} label="message id">
        <TextLink ff="monospace" size="sm" truncate to="/messages/$messageId" params={{ messageId }}>
          {messageId}
        </TextLink>
      </Copyable>,
    ],
    [WORDS.recipient, recipient],
    [event === null ? 'Report says' : 'Event', event === null ? messageStatus : `${event}: ${messageStatus}`],
    ['Reason', reason === null ? null : reasonText(reason)],
    [
      'Next attempt',
      status === 'waiting' ? (
        <NextAttempt key="next" delivery={delivery} webhook={webhook} health={health} />
      ) : null,
    ],
    ['Report received', <Time key="created" at={createdAt} as="full" />],
  ];
}

/** The name of a configuration, once it is known. */
function WebhookName({ id }: { id: string }): ReactNode {
  const { data } = useAnswer(['webhooks', id], (signal) => getWebhook({ path: { id }, signal }));
  return data?.name ?? 'Open the configuration';
}

/** The request as the settings of today render it. */
function RequestNow({ delivery: { webhookId, messageId } }: { delivery: Delivery }): ReactNode {
  const webhook = useAnswer(['webhooks', webhookId], (signal) =>
    getWebhook({ path: { id: webhookId }, signal }),
  );
  const values = webhook.data && valuesOf(webhook.data);
  const body = values && { ...bodyOf(values), messageId };
  const preview = useAnswer(
    ['webhooks', 'preview', body],
    (signal) => previewWebhook({ body: body ?? { endPoint: '' }, signal }),
    { enabled: body !== undefined },
  );
  if (!preview.data) return null;
  return (
    <Stack gap={6}>
      <Title order={2}>{WORDS.request}</Title>
      <Text size="sm" c="dimmed">
        {WORDS.requestNow}
      </Text>
      <RequestView call={preview.data} label={WORDS.request} />
    </Stack>
  );
}
