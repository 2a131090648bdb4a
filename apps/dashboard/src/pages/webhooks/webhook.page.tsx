import { Alert, Stack } from '@mantine/core';
import { type Webhook, type WebhookHealth, getWebhook } from '@signalbox/client';
import { IconAlertTriangle } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { counted } from '../../parts/counted.ts';
import { LoadedPage } from '../../parts/loaded-page.tsx';
import { Page } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { Deliveries } from './deliveries.tsx';
import { HealthPanel } from './health-panel.tsx';
import { addressText, healthText } from './health-text.ts';
import { Replays } from './replays.tsx';
import { SettingsPanel } from './settings-panel.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { useHealth } from './use-health.ts';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/webhooks/$webhookId');

/** One configuration: why it fails, its calls, its attempts, its replays, its settings. */
export function WebhookPage(): ReactNode {
  const { webhookId } = route.useParams();
  const webhook = useAnswer(
    ['webhooks', webhookId],
    (signal) => getWebhook({ path: { id: webhookId }, signal }),
    {
      refetchInterval: 10_000,
    },
  );
  const health = useHealth(webhook.data?.id);
  return (
    <LoadedPage answer={webhook} height={420} title={WORDS.title}>
      {(data) => <Content webhook={data} health={health} />}
    </LoadedPage>
  );
}

function Content({ webhook, health }: { webhook: Webhook; health: WebhookHealth | undefined }): ReactNode {
  const { word, color, why } = healthText(webhook, health);
  return (
    <Page
      title={webhook.name}
      status={<Status status={word} color={color} />}
      lead={webhook.pulled ? WORDS.pulledLead : addressText(webhook)}
      actions={<WebhookActions webhook={webhook} />}
    >
      <Stack gap="xl">
        {why !== null && (
          <Alert color={color} icon={<IconAlertTriangle size={18} />} title={why} role="status">
            {health?.lastFailure &&
              webhook.status === 'enabled' &&
              `${counted(health.failuresInRow, 'call')} in a row failed.`}
          </Alert>
        )}
        <HealthPanel webhook={webhook} health={health} />
        <Replays webhookId={webhook.id} />
        <Deliveries webhook={webhook} health={health} />
        <SettingsPanel webhook={webhook} />
      </Stack>
    </Page>
  );
}
