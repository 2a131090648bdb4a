import type { Webhook } from '@signalbox/database/webhooks/webhook.entity';
import type { NewWebhook, WebhookSettings } from '@signalbox/database/webhooks/webhooks';

/** A webhook. Only the answer that created a secret shows it. */
export interface WebhookView extends WebhookSettings {
  id: string;
  channel: string;
  status: 'enabled' | 'disabled';
  disabledReason: string | null;
  /** Pushes carry a second signature, by a replaced secret, until then; null without such a secret. */
  oldSecretsUntil: string | null;
  createdAt: string;
  updatedAt: string;
  secret?: string;
}

/** State of a new webhook. */
const NEW = { disabledAt: null, disabledReason: null, oldSecrets: [] };

export function newWebhookView(webhook: NewWebhook, secret: string): WebhookView {
  return { ...webhookView({ ...NEW, ...webhook, updatedAt: webhook.createdAt }), secret };
}

export function webhookView(webhook: Omit<Webhook, 'deletedAt'>): WebhookView {
  const {
    id,
    name,
    channel,
    provider,
    method,
    endPoint,
    headers,
    fields,
    events,
    intermediate,
    filters,
    schedule,
  } = webhook;
  const { maxInFlight, ratePerSecond, disabledAt, disabledReason, createdAt, updatedAt } = webhook;
  return {
    id,
    name,
    channel,
    provider,
    method,
    endPoint,
    headers,
    fields,
    events,
    intermediate,
    filters,
    schedule,
    maxInFlight,
    ratePerSecond,
    status: disabledAt ? 'disabled' : 'enabled',
    disabledReason,
    oldSecretsUntil: lastOf(webhook.oldSecrets.map(({ until }) => until)),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** Times in ISO 8601 sort as text. */
function lastOf(times: string[]): string | null {
  const last = times.toSorted().at(-1);
  return last !== undefined && last > new Date().toISOString() ? last : null;
}
