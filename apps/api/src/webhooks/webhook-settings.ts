import type { WebhookSettings } from '@signalbox/database/webhooks/webhooks';
import { CHAT_EVENTS } from '@signalbox/domain/webhooks/push-filters';
import type { Violation } from '@signalbox/domain/violation';
import { type CheckedWebhook, checkWebhook } from '@signalbox/domain/webhooks/rules';
import type { WebhookChange, WebhookHeader, WebhookRequest } from './webhook.dto.ts';

const DEFAULTS: Omit<WebhookSettings, 'name' | 'endPoint' | 'events'> = {
  provider: 'any',
  method: 'POST',
  headers: [],
  fields: [],
  intermediate: false,
  filters: {},
  schedule: null,
  maxInFlight: 4,
  ratePerSecond: null,
};

/** The settings of a new webhook: what was given, and defaults for the rest. */
export function newSettings(request: WebhookRequest): WebhookSettings {
  const { name, endPoint, channel } = request;
  return changedSettings(
    { ...DEFAULTS, name, endPoint, events: channel === 'chatapp' ? [...CHAT_EVENTS] : [] },
    request,
  );
}

/** The settings of a webhook after a change; a list or an object is replaced as a whole. */
export function changedSettings(settings: WebhookSettings, change: WebhookChange): WebhookSettings {
  const {
    name,
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
  } = settings;
  return {
    name: change.name ?? name,
    provider: change.provider ?? provider,
    method: change.method ?? method,
    endPoint: change.endPoint ?? endPoint,
    headers: change.headers?.map(({ key, value }) => ({ key, value })) ?? headers,
    fields: change.fields ?? fields,
    events: change.events ?? events,
    intermediate: change.intermediate ?? intermediate,
    filters: change.filters ?? filters,
    schedule: change.schedule === undefined ? schedule : change.schedule,
    maxInFlight: change.maxInFlight ?? maxInFlight,
    ratePerSecond: change.ratePerSecond === undefined ? ratePerSecond : change.ratePerSecond,
  };
}

/**
 * What the fields of a request break together, as far as they are of their types; a field that is not was told of already.
 *
 * @param channel undefined for a change, whose channel is not in the request
 */
export function brokenRules(
  request: WebhookChange,
  channel: CheckedWebhook['channel'] | undefined,
): Violation[] {
  const given = request as Record<string, unknown>;
  const names = Object.keys(IS_OF_ITS_TYPE).filter((name) => IS_OF_ITS_TYPE[name]!(given[name]));
  const whole = {
    ...DEFAULTS,
    endPoint: HARMLESS,
    events: channel === 'chatapp' ? CHAT_EVENTS : [],
    channel,
  };
  return checkWebhook({ ...whole, ...Object.fromEntries(names.map((name) => [name, given[name]])) });
}

const HARMLESS = 'https://example.com/';

const isListOf = (type: string) => (value: unknown) =>
  Array.isArray(value) && value.every((item) => typeof item === type);

/** The fields that rules of several fields read. */
const IS_OF_ITS_TYPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  method: (value) => value === 'GET' || value === 'POST',
  endPoint: (value) => typeof value === 'string',
  headers: (value) => Array.isArray(value) && value.every(isHeader),
  fields: isListOf('string'),
  events: isListOf('string'),
  intermediate: (value) => typeof value === 'boolean',
  filters: (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((list) => list === undefined || isListOf('string')(list)),
  schedule: isListOf('number'),
};

function isHeader(header: unknown): header is WebhookHeader {
  const { key, value } = (header ?? {}) as Partial<WebhookHeader>;
  return typeof key === 'string' && typeof value === 'string';
}
