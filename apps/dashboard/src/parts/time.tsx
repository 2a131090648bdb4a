import type { ReactNode } from 'react';
import { relativeTime, shortTime } from './time-text.ts';
import { useNow } from './use-now.ts';

interface TimeProps {
  /** An ISO 8601 instant, or milliseconds since 1970. */
  at: string | number;
  /** `relative` ticks ("3 min ago"), `full` shows date and time; `short` omits today's date, and this year. */
  as?: 'relative' | 'full' | 'short';
}

const MINUTE_MS = 60_000;

const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** An instant in the zone of the viewer; the tooltip has it in UTC. */
export function Time({ at, as = 'relative' }: TimeProps): ReactNode {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>–</span>;
  return (
    <time
      dateTime={date.toISOString()}
      title={`${date.toISOString().replace('T', ' ').replace('Z', '')} UTC`}
      style={{ whiteSpace: 'nowrap' }}
    >
      {as === 'relative' && <Relative date={date} />}
      {as === 'short' && <Short date={date} />}
      {as === 'full' && FULL.format(date)}
    </time>
  );
}

function Relative({ date }: { date: Date }): string {
  const coarse = useNow(30_000);
  const isRecent = Math.abs(coarse - date.getTime()) < 90_000;
  const now = useNow(isRecent ? 1_000 : 30_000);
  return relativeTime(date.getTime(), now);
}

function Short({ date }: { date: Date }): string {
  return shortTime(date, new Date(useNow(MINUTE_MS)));
}
