import type { Delivery, Webhook, WebhookHealth } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Time } from '../../parts/time.tsx';
import { useNow } from '../../parts/use-now.ts';
import { WORDS } from './words.ts';

/** The time of a next attempt: "now" once it has come. */
export function Due({ at }: { at: string }): ReactNode {
  const now = useNow(5_000);
  return Date.parse(at) <= now ? 'now' : <Time at={at} />;
}

/** The next call of a waiting delivery, or what holds it: its configuration, a program that pulls or an open breaker. */
export function NextAttempt({
  delivery: { status, nextAttemptAt },
  webhook,
  health,
}: {
  delivery: Delivery;
  webhook: Webhook | undefined;
  health: WebhookHealth | undefined;
}): ReactNode {
  if (status !== 'waiting') return null;
  return holdOf(webhook, health) ?? (nextAttemptAt !== null && <Due at={nextAttemptAt} />);
}

/** The words about what keeps calls from the endpoint; undefined when they are made as they come due. */
export function holdOf(webhook: Webhook | undefined, health: WebhookHealth | undefined): string | undefined {
  if (webhook?.pulled) return WORDS.whenPulled;
  if (webhook?.status === 'disabled') return WORDS.whenEnabled;
  return health?.breaker === 'open' ? WORDS.whenBreakerCloses : undefined;
}
