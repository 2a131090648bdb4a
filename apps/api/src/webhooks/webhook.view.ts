import type { Webhook } from '@signalbox/database/entities/webhook';

/** A configuration as the API shows it. The secret is in the answer that created it, and never again. */
export interface WebhookView {
  id: string;
  name: string;
  channel: string;
  provider: string;
  method: string;
  endPoint: string;
  headers: { key: string; value: string }[];
  fields: string[];
  maxInFlight: number;
  status: 'enabled' | 'disabled';
  disabledReason: string | null;
  createdAt: string;
  secret?: string;
}

export function webhookView(webhook: Webhook, secret?: string): WebhookView {
  const { id, name, channel, provider, method, endPoint, headers, fields, maxInFlight, disabledAt, disabledReason, createdAt } = webhook;
  return {
    id,
    name,
    channel,
    provider,
    method,
    endPoint,
    headers,
    fields,
    maxInFlight,
    status: disabledAt ? 'disabled' : 'enabled',
    disabledReason,
    createdAt: createdAt.toISOString(),
    ...(secret && { secret }),
  };
}
