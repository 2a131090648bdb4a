import type { MantineColor } from '@mantine/core';
import type { Webhook, WebhookHealth } from '@signalbox/client';
import { failureText } from './reasons.ts';
import { WORDS } from './words.ts';

/** The state of a configuration: a word, its colour, and why. */
export interface HealthText {
  word: string;
  color: MantineColor;
  why: string | null;
}

/** Sums up a configuration in one word and one sentence. */
export function healthText(
  webhook: Pick<Webhook, 'status' | 'disabledReason'>,
  health?: WebhookHealth,
): HealthText {
  if (webhook.status === 'disabled')
    return { word: WORDS.disabled, color: 'gray', why: sentence(webhook.disabledReason) };
  if (!health || health.failuresInRow === 0) return { word: WORDS.healthy, color: 'teal', why: null };
  const why = health.lastFailure ? failureText(health.lastFailure) : null;
  if (health.breaker === 'open') return { word: WORDS.breakerOpen, color: 'red', why };
  return { word: WORDS.failing, color: 'orange', why };
}

/** Sums the calls of the hours that are shown. */
export function sumCalls({ hours }: Pick<WebhookHealth, 'hours'>): { calls: number; failures: number } {
  return hours.reduce(
    (sum, { calls, failures }) => ({ calls: sum.calls + calls, failures: sum.failures + failures }),
    { calls: 0, failures: 0 },
  );
}

function sentence(reason: string | null): string | null {
  return reason === null ? null : `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}
