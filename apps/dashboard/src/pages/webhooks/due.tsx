import type { Delivery, WebhookHealth } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Time } from '../../parts/time.tsx';
import { useNow } from '../../parts/use-now.ts';
import { WORDS } from './words.ts';

/** The time of a next attempt: "now" once it has come. */
export function Due({ at }: { at: string }): ReactNode {
  const now = useNow(5_000);
  return Date.parse(at) <= now ? 'now' : <Time at={at} />;
}

/** The next call of a delivery, which an open breaker holds back. */
export function NextAttempt({
  delivery: { nextAttemptAt },
  health,
}: {
  delivery: Delivery;
  health: WebhookHealth | undefined;
}): ReactNode {
  if (nextAttemptAt === null) return null;
  return health?.breaker === 'open' ? WORDS.whenBreakerCloses : <Due at={nextAttemptAt} />;
}
