import type { Webhook } from '@signalbox/database/webhooks/webhook.entity';
import type { NewWebhook } from '@signalbox/database/webhooks/webhooks';
import type { PushFilters } from '@signalbox/domain/webhooks/push-filters';
import { type Static, Type } from 'typebox';
import { CHANNELS, COUNT, FLAG, ID, TEXT, TIME, model, nullable, oneOf } from '../docs/model.ts';

export const WebhookView = model('Webhook', 'A webhook. Only the answer that created a secret shows it.', {
  id: ID,
  name: TEXT,
  channel: oneOf(CHANNELS),
  provider: TEXT,
  method: oneOf(['GET', 'POST']),
  endPoint: TEXT,
  headers: Type.Array(Type.Object({ key: TEXT, value: TEXT })),
  fields: Type.Array(TEXT),
  events: Type.Array(TEXT),
  intermediate: FLAG,
  filters: Type.Unsafe<PushFilters>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
  }),
  schedule: nullable(
    Type.Array(Type.Integer()),
    'Seconds before each retry; null for the default of three days.',
  ),
  maxInFlight: COUNT,
  ratePerSecond: nullable(Type.Integer()),
  batch: nullable(Type.Object({ max: COUNT, waitMs: COUNT }), 'Several reports in one call; null for one.'),
  status: oneOf(['enabled', 'disabled']),
  disabledReason: nullable(TEXT),
  oldSecretsUntil: nullable(
    TIME,
    'Pushes carry a second signature, by a replaced secret, until then; null without such a secret.',
  ),
  createdAt: TIME,
  updatedAt: TIME,
  secret: Type.Optional(TEXT),
});
export type WebhookView = Static<typeof WebhookView>;

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
  const { maxInFlight, ratePerSecond, batch, disabledAt, disabledReason, createdAt, updatedAt } = webhook;
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
    batch,
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
