import type { MantineColor } from '@mantine/core';
import type { Webhook, WebhookHealth } from '@signalbox/client';
import { capitalized } from '../../parts/capitalized.ts';
import { failureText } from './reasons.ts';
import { WORDS } from './words.ts';

/** The API knows of calls within 31 days. */
const CALLS_KEPT_MS = 31 * 86_400_000;

/** The state of a configuration: a word, its colour, and why. */
export interface HealthText {
  word: string;
  color: MantineColor;
  why: string | null;
}

/** Sums up a configuration in one word and one sentence. */
export function healthText(
  webhook: Pick<Webhook, 'status' | 'disabledReason' | 'pulled' | 'createdAt'>,
  health?: WebhookHealth,
): HealthText {
  if (webhook.pulled) return { word: WORDS.pulled, color: 'blue', why: null };
  if (webhook.status === 'disabled')
    return { word: WORDS.disabled, color: 'gray', why: sentence(webhook.disabledReason) };
  if (health?.failuresInRow === 0 && !health.called)
    return { word: isOld(webhook) ? WORDS.idle : WORDS.uncalled, color: 'gray', why: null };
  if (!health || health.failuresInRow === 0) return { word: WORDS.healthy, color: 'teal', why: null };
  const why = health.lastFailure ? failureText(health.lastFailure) : null;
  if (health.breaker === 'open') return { word: WORDS.breakerOpen, color: 'red', why };
  return { word: WORDS.failing, color: 'orange', why };
}

/** The calls of a configuration: a method and an address, unless a program pulls its deliveries. */
export function addressText({ method, endPoint, pulled }: Webhook): string {
  return pulled ? WORDS.pulledAddress : `${method} ${endPoint}`;
}

/** Sums the calls of the hours that are shown. */
export function sumCalls({ hours }: Pick<WebhookHealth, 'hours'>): { calls: number; failures: number } {
  return hours.reduce(
    (sum, { calls, failures }) => ({ calls: sum.calls + calls, failures: sum.failures + failures }),
    { calls: 0, failures: 0 },
  );
}

/** Is true when its first calls may be forgotten. */
function isOld({ createdAt }: Pick<Webhook, 'createdAt'>): boolean {
  return Date.now() - Date.parse(createdAt) > CALLS_KEPT_MS;
}

function sentence(reason: string | null): string | null {
  return reason === null ? null : `${capitalized(reason)}.`;
}
