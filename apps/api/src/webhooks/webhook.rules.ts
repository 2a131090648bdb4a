import type { Violation } from '@signalbox/domain/violation';
import { defaultEvents } from '@signalbox/domain/webhooks/push-filters';
import { type CheckedWebhook, checkWebhook } from '@signalbox/domain/webhooks/rules';

type Given = { [Name in keyof CheckedWebhook]?: CheckedWebhook[Name] | undefined };

/** Stands in for an endpoint that is absent or invalid; it breaks no rule. */
const ANY_ENDPOINT = 'https://example.com/';

/**
 * Checks the rules that span several settings.
 *
 * @param given the settings that met their own rules; the others count as defaults
 * @param channel undefined for a change, which cannot name a channel: rules of a channel are checked with the stored
 * webhook
 */
export function checkRequest(given: Given, channel: CheckedWebhook['channel']): Violation[] {
  return checkWebhook({
    method: given.method ?? 'POST',
    endPoint: given.endPoint ?? ANY_ENDPOINT,
    headers: given.headers ?? [],
    fields: given.fields ?? [],
    events: given.events ?? defaultEvents(channel),
    intermediate: given.intermediate ?? false,
    filters: given.filters ?? {},
    schedule: given.schedule ?? null,
    batch: given.batch ?? null,
    channel,
  });
}
