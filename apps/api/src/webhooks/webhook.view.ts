import { oldSecretsUntil } from '@signalbox/database/core/old-secrets';
import { PULLED } from '@signalbox/database/webhooks/pulled-pushes';
import type { Webhook } from '@signalbox/database/webhooks/webhook.entity';
import type { NewWebhook } from '@signalbox/database/webhooks/webhooks';
import { CHANNELS } from '@signalbox/domain/channel';
import type { PushFilters } from '@signalbox/domain/webhooks/push-filters';
import { type Static, Type } from 'typebox';
import { COUNT, FLAG, ID, TEXT, TIME, model, nullable, oneOf, show } from '../docs/model.ts';

export const WebhookView = model('Webhook', 'A webhook. Only the response that created a secret shows it.', {
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
  batch: nullable(
    Type.Object({ max: COUNT, waitMs: COUNT }),
    'Batch setting; null when each call carries one report.',
  ),
  status: oneOf(['enabled', 'disabled']),
  disabledReason: nullable(TEXT),
  pulled: Type.Boolean({
    description:
      'True for a disabled webhook whose deliveries a program pulls, as `signalbox listen` does: its endpoint is not called.',
  }),
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
  return show(WebhookView, {
    ...webhook,
    status: webhook.disabledAt ? 'disabled' : 'enabled',
    pulled: webhook.disabledReason === PULLED,
    oldSecretsUntil: oldSecretsUntil(webhook.oldSecrets),
  });
}
