import { type MessageStats, type VerifyStats, getMessageStats, getVerifyStats } from '@signalbox/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { useSession } from '../../app/use-session.ts';
import type { ApiFailure } from '../../api/failure.ts';
import { readAhead, useAnswer } from '../../api/use-answer.ts';

const DAY_MS = 86_400_000;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** Messages are counted every few seconds, after their events. */
const LIVE = { live: ['message'] as const, pace: 5_000 };
/** Figures below the others. */
const LIVE_LATER = { ...LIVE, pace: 15_000 };

/** Dimensions that the last day is split by. */
export type Split = 'channel' | 'errCode';
type Answered<Data> = UseQueryResult<Data, ApiFailure>;

const HOUR = ['overview', 'hour'];
const readHour = (signal: AbortSignal) => getMessageStats({ query: { zone: ZONE }, signal });

const dayOf = (by: Split) => ['overview', 'day', by];
const readDay = (signal: AbortSignal, by: Split) =>
  getMessageStats({
    query: { from: since(DAY_MS), step: 'hour', zone: ZONE, by },
    signal,
  });

/** Begins to read the figures at the top of the page. */
export function readFiguresAhead(): void {
  readAhead(dayOf('channel'), (signal) => readDay(signal, 'channel'));
  readAhead(HOUR, readHour);
}

/** Counts of the last hour, by minute. */
export function useLastHour(): Answered<MessageStats> {
  return useAnswer(HOUR, readHour, LIVE);
}

/** Counts of the last 24 hours, by hour, split; the split by channel has the totals of all messages, too. */
export function useLastDay(by: Split, enabled = true): Answered<MessageStats> {
  return useAnswer(dayOf(by), (signal) => readDay(signal, by), {
    ...(by === 'channel' ? LIVE : LIVE_LATER),
    enabled,
  });
}

/** Codes since yesterday: they are counted by the day, in UTC. */
export function useCodes(): Answered<VerifyStats> {
  const { scopes } = useSession();
  return useAnswer(
    ['overview', 'codes'],
    (signal) => getVerifyStats({ query: { from: since(DAY_MS).slice(0, 10) }, signal }),
    {
      ...LIVE_LATER,
      enabled: scopes.includes('verify'),
    },
  );
}

function since(ms: number): string {
  return new Date(Date.now() - ms).toISOString();
}
