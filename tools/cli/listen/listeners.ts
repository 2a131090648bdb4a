import { CHANNELS, type Channel } from '@signalbox/domain/channel';
import { callApi } from '../call-api.ts';
import { findSecret, keepSecret } from './kept-secrets.ts';

/** The webhook of an account whose deliveries `signalbox listen` pulls. */
export interface Listener {
  id: string;
  channel: Channel;
  /** Signs the events. */
  secret: string;
}

interface Webhook {
  id: string;
  name: string;
  channel: Channel;
  secret?: string;
}

/** A name that no server can have: nothing is called even if the webhook is enabled by mistake. */
const NOWHERE = 'https://listen.invalid/';

/** Everything that happens to messages. */
const EVENTS = {
  sms: { intermediate: true, events: ['message.received'] },
  chatapp: { events: ['message.sent', 'message.status', 'message.received'] },
} as const;

/** Finds or creates the listeners of a name. */
export async function openListeners(name: string, channels: readonly Channel[]): Promise<Listener[]> {
  const known = await listWebhooks();
  return Promise.all(
    channels.map(async (channel) => {
      const found = known.find((webhook) => webhook.name === nameOf(name, channel));
      return found ? reopen(found) : create(name, channel);
    }),
  );
}

/** Deletes the listeners of a name with the events that wait for them. @returns their number */
export async function removeListeners(name: string): Promise<number> {
  const names = new Set(CHANNELS.map((channel) => nameOf(name, channel)));
  const mine = (await listWebhooks()).filter((webhook) => names.has(webhook.name));
  for (const { id } of mine) await callApi(`/v1/webhooks/${id}`, { method: 'DELETE' });
  return mine.length;
}

function nameOf(name: string, channel: Channel): string {
  return `${name} (${channel})`;
}

async function listWebhooks(): Promise<Webhook[]> {
  const found: Webhook[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { data: Webhook[]; nextCursor: string | null } = await callApi(
      `/v1/webhooks?limit=100${query}`,
    );
    found.push(...page.data);
    cursor = page.nextCursor;
  }
  return found;
}

async function create(name: string, channel: Channel): Promise<Listener> {
  const body = { name: nameOf(name, channel), channel, endPoint: NOWHERE, ...EVENTS[channel] };
  const { data } = await post('/v1/webhooks', body);
  // the first pull disables it: from here on its deliveries wait
  await post(`/v1/webhooks/${data.id}/pull`, { limit: 1 });
  return kept(data, channel);
}

/** The secret that an earlier run has kept; without one, a new secret. */
async function reopen({ id, channel }: Webhook): Promise<Listener> {
  const secret = findSecret(id);
  if (secret !== undefined) return { id, channel, secret };
  return kept((await post(`/v1/webhooks/${id}/rotate-secret`, {})).data, channel);
}

function kept({ id, secret = '' }: Webhook, channel: Channel): Listener {
  keepSecret(id, secret);
  return { id, channel, secret };
}

function post(path: string, body: object): Promise<{ data: Webhook }> {
  return callApi(path, { body });
}
