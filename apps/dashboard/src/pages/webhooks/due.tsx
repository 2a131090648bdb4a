import type { ReactNode } from 'react';
import { Time } from '../../parts/time.tsx';
import { useNow } from '../../parts/use-now.ts';

/** The time of a next attempt: "now" once it has come. */
export function Due({ at }: { at: string }): ReactNode {
  const now = useNow(5_000);
  return Date.parse(at) <= now ? 'now' : <Time at={at} />;
}
