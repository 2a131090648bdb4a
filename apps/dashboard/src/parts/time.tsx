import type { ReactNode } from 'react';
import { useNow } from './use-now.ts';

interface TimeProps {
  /** An ISO 8601 instant, or milliseconds since 1970. */
  at: string | number;
  /** `relative` ticks ("3 min ago"), `full` shows date and time; `short` omits today's date. */
  as?: 'relative' | 'full' | 'short';
}

const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

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
      {as === 'relative' ? <Relative date={date} /> : absolute(date, as)}
    </time>
  );
}

function Relative({ date }: { date: Date }): string {
  const coarse = useNow(30_000);
  const isRecent = Math.abs(coarse - date.getTime()) < 90_000;
  const now = useNow(isRecent ? 1_000 : 30_000);
  return relativeTime(date.getTime(), now);
}

/** `3 min ago`, `in 2 hr.`, in the language of the viewer. */
export function relativeTime(atMs: number, nowMs: number): string {
  const seconds = Math.round((atMs - nowMs) / 1000);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? UNITS[3];
  return RELATIVE.format(Math.trunc(seconds / size), unit);
}

function absolute(date: Date, as: 'full' | 'short'): string {
  if (as === 'full') return FULL.format(date);
  return date.toDateString() === new Date().toDateString() ? CLOCK.format(date) : DAY.format(date);
}
