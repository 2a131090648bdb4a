import type { WebhookSettings } from '@signalbox/database/webhooks/webhooks';
import type { Channel } from '@signalbox/domain/channel';
import { defaultEvents } from '@signalbox/domain/webhooks/push-filters';
import { WEBHOOK_DEFAULTS } from '@signalbox/domain/webhooks/webhook-defaults';

type Given = { [Name in keyof WebhookSettings]?: WebhookSettings[Name] | undefined };

/** The settings of a new webhook: the given ones, and defaults for the rest. */
export function newSettings(
  request: Given & Pick<WebhookSettings, 'name' | 'endPoint'>,
  channel: Channel,
): WebhookSettings {
  const { name, endPoint } = request;
  const events = [...defaultEvents(channel)];
  return changedSettings({ ...WEBHOOK_DEFAULTS, name, endPoint, events }, request);
}

/** The settings of a webhook after a change. A given list or object replaces the whole one. */
export function changedSettings<S extends WebhookSettings>(settings: S, change: Given): S {
  const given = Object.entries(change).filter(([name, value]) => value !== undefined && name in settings);
  return { ...settings, ...Object.fromEntries(given) };
}
