import { type WebhookHealth, listWebhookHealth } from '@signalbox/client';
import { useAnswer } from '../../api/use-answer.ts';

/** Reads the health of a configuration again with each of its deliveries. */
export function useHealth(webhookId: string | undefined): WebhookHealth | undefined {
  const health = useAnswer(
    ['webhooks', webhookId, 'now'],
    (signal) => listWebhookHealth({ query: { webhookId: webhookId ?? '', hours: 1 }, signal }),
    { live: ['delivery'], enabled: webhookId !== undefined },
  );
  return health.data?.[0];
}
