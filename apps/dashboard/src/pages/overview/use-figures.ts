import {
  type MessageStats,
  type Usage,
  type VerifyStats,
  getMessageStats,
  getUsage,
  getVerifyStats,
} from '@signalbox/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { useSession } from '../../app/use-session.ts';
import type { ApiFailure } from '../../api/failure.ts';
import { readAhead, useAnswer } from '../../api/use-answer.ts';

const DAY_MS = 86_400_000;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** Messages are counted every few seconds, so their events come before the counts. */
const LIVE = { live: ['message'] as const, refetchInterval: 5_000 };

type Split = 'channel' | 'errCode';
type Answered<Data> = UseQueryResult<Data, ApiFailure>;

const HOUR = ['overview', 'hour'];
const readHour = (signal: AbortSignal) => getMessageStats({ query: { zone: ZONE }, signal });

const dayOf = (by?: Split) => ['overview', 'day', by];
const readDay = (signal: AbortSignal, by?: Split) =>
  getMessageStats({
    query: { from: since(DAY_MS), step: 'hour', zone: ZONE, ...(by && { by }) },
    signal,
  });

/** Begins to read the figures at the top of the page. */
export function readFiguresAhead(): void {
  readAhead(dayOf(), readDay);
  readAhead(HOUR, readHour);
}

/** Counts of the last hour, by minute. */
export function useLastHour(): Answered<MessageStats> {
  return useAnswer(HOUR, readHour, LIVE);
}

/** Counts of the last 24 hours, by hour. */
export function useLastDay(by?: Split): Answered<MessageStats> {
  return useAnswer(dayOf(by), (signal) => readDay(signal, by), LIVE);
}

/** Credits since midnight in the zone of the viewer. */
export function useCreditsToday(): Answered<Usage> {
  return useAnswer(
    ['overview', 'usage'],
    (signal) => getUsage({ query: { from: midnight(), zone: ZONE }, signal }),
    LIVE,
  );
}

/** Codes since yesterday. */
export function useCodes(): Answered<VerifyStats> {
  const { scopes } = useSession();
  return useAnswer(['overview', 'codes'], (signal) => getVerifyStats({ signal }), {
    ...LIVE,
    enabled: scopes.includes('verify'),
  });
}

function since(ms: number): string {
  return new Date(Date.now() - ms).toISOString();
}

function midnight(): string {
  const day = new Date();
  day.setHours(0, 0, 0, 0);
  return day.toISOString();
}
