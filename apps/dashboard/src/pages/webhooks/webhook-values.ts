import type { Webhook, WebhookRequest } from '@signalbox/client';
import type { Channel } from '@signalbox/domain/channel';
import { WEBHOOK_DEFAULTS } from '@signalbox/domain/webhooks/webhook-defaults';

/** The fields of the form, as their inputs hold them. */
export interface WebhookValues {
  name: string;
  channel: Channel;
  provider: string;
  method: 'GET' | 'POST';
  endPoint: string;
  headers: { key: string; value: string }[];
  fields: string[];
  events: string[];
  intermediate: boolean;
  type: string[];
  status: string[];
  sender: string[];
  country: string[];
  hasSchedule: boolean;
  /** Seconds, separated by commas. */
  schedule: string;
  maxInFlight: number | string;
  ratePerSecond: number | string;
  hasBatch: boolean;
  batchMax: number | string;
  batchWaitMs: number | string;
}

export const EVENTS = ['message.sent', 'message.status', 'message.received'] as const;

export const NEW_WEBHOOK: WebhookValues = {
  name: '',
  channel: 'sms',
  provider: 'any',
  method: 'POST',
  endPoint: '',
  headers: [{ key: 'Message-Id', value: '{{messageId}}' }],
  fields: [],
  events: [],
  intermediate: false,
  type: [],
  status: [],
  sender: [],
  country: [],
  hasSchedule: false,
  schedule: '',
  maxInFlight: WEBHOOK_DEFAULTS.maxInFlight,
  ratePerSecond: '',
  hasBatch: false,
  batchMax: 100,
  batchWaitMs: 200,
};

/** Fills the form with a stored configuration. */
export function valuesOf(webhook: Webhook): WebhookValues {
  const { type = [], status = [], sender = [], country = [] } = webhook.filters;
  return {
    name: webhook.name,
    channel: webhook.channel,
    provider: webhook.provider,
    method: webhook.method,
    endPoint: webhook.endPoint,
    headers: webhook.headers,
    fields: webhook.fields,
    events: webhook.events,
    intermediate: webhook.intermediate,
    type,
    status,
    sender,
    country,
    hasSchedule: webhook.schedule !== null,
    schedule: (webhook.schedule ?? []).join(', '),
    maxInFlight: webhook.maxInFlight,
    ratePerSecond: webhook.ratePerSecond ?? '',
    hasBatch: webhook.batch !== null,
    batchMax: webhook.batch?.max ?? NEW_WEBHOOK.batchMax,
    batchWaitMs: webhook.batch?.waitMs ?? NEW_WEBHOOK.batchWaitMs,
  };
}

/** The body of a request. Rows and filters that are empty are left out, as are settings of the other channel. */
export function bodyOf(values: WebhookValues): WebhookRequest {
  const { name, channel, provider, method, endPoint, headers, fields, events, intermediate } = values;
  const body = {
    name: name.trim(),
    channel,
    provider: provider.trim() === '' ? 'any' : provider.trim(),
    method: channel === 'chatapp' ? ('POST' as const) : method,
    endPoint: endPoint.trim(),
    headers: takesBatches(values)
      ? []
      : headers.filter(({ key, value }) => key.trim() !== '' || value.trim() !== ''),
    events: events as WebhookRequest['events'],
    filters: filtersOf(values),
    schedule: values.hasSchedule ? readSchedule(values.schedule) : null,
    maxInFlight: Number(values.maxInFlight) || 4,
    ratePerSecond: values.ratePerSecond === '' ? null : Number(values.ratePerSecond),
    batch: takesBatches(values) ? { max: Number(values.batchMax), waitMs: Number(values.batchWaitMs) } : null,
  };
  const sms = { fields: fields as WebhookRequest['fields'], intermediate };
  return channel === 'sms' ? { ...body, ...sms } : { ...body, events: body.events };
}

/** True when the configuration takes several reports in one call, which no header goes with. */
export function takesBatches({ hasBatch, method, channel }: WebhookValues): boolean {
  return hasBatch && (channel === 'chatapp' || method === 'POST');
}

function filtersOf({ channel, type, status, sender, country }: WebhookValues): WebhookRequest['filters'] {
  const given = { ...(channel === 'sms' && { type }), status, sender, country };
  return Object.fromEntries(Object.entries(given).filter(([, list]) => list.length > 0));
}

function readSchedule(text: string): number[] {
  return text
    .split(/[\s,;]+/)
    .filter((each) => each !== '')
    .map(Number);
}

/** Checks what the api cannot read as a number; the api checks the rest. */
export function scheduleProblem({ hasSchedule, schedule }: WebhookValues): string | null {
  if (!hasSchedule || readSchedule(schedule).every((each) => Number.isInteger(each) && each > 0)) return null;
  return 'must be whole seconds, separated by commas';
}
