import { type SeriesCount, SERIES_GROUPS, STEPS } from '@signalbox/database/statistics/series';
import { latencyAt } from '@signalbox/domain/latency';
import { type Static, Type } from 'typebox';
import { COUNT, TEXT, TIME, model, nullable, oneOf } from '../docs/model.ts';
import { USAGE_GROUPS } from './statistics.dto.ts';

const COUNTS = {
  accepted: Type.Integer({ minimum: 0, description: 'Messages accepted in the interval.' }),
  submitted: Type.Integer({
    minimum: 0,
    description: 'Those of them that were handed to a gateway, then or later.',
  }),
  delivered: Type.Integer({ minimum: 0, description: 'Messages reported as delivered in the interval.' }),
  read: Type.Integer({ minimum: 0, description: 'Messages reported as read in the interval.' }),
  failed: Type.Integer({
    minimum: 0,
    description: 'Messages that failed in the interval, also those that a later report corrected.',
  }),
  credits: Type.Integer({ minimum: 0, description: 'Credits of the accepted messages.' }),
  p50Seconds: nullable(
    Type.Number(),
    'Half of the delivered messages arrived within this time, counted from their acceptance or `sendAt`; null without any.',
  ),
  p95Seconds: nullable(Type.Number(), 'The same for 95 of 100.'),
};

const StatTotals = model('MessageCounts', 'Counts of messages.', COUNTS);
export type StatTotals = Static<typeof StatTotals>;

const StatPoint = model('MessageStatPoint', 'Counts of messages in one interval.', { at: TIME, ...COUNTS });

const StatSeries = model('MessageStatSeries', 'One series: its totals, and each interval of the range.', {
  group: nullable(TEXT, 'Value of `by`; null for messages without one, and without `by`.'),
  isRest: Type.Boolean({ description: 'True for the series that all smaller groups share.' }),
  total: StatTotals,
  points: Type.Array(StatPoint),
});

export const MessageStats = model('MessageStats', 'Statistics of messages.', {
  from: TIME,
  to: TIME,
  step: oneOf(STEPS),
  zone: TEXT,
  by: nullable(oneOf(SERIES_GROUPS)),
  builtAt: nullable(TIME, 'When messages were last counted: every few seconds; null before the first time.'),
  total: StatTotals,
  series: Type.Array(StatSeries),
});
export type MessageStats = Static<typeof MessageStats>;

const USE = { messages: COUNT, credits: COUNT };

const UsageSeries = model('UsageSeries', 'The use of one group by day.', {
  group: nullable(TEXT),
  isRest: Type.Boolean({ description: 'True for the series that all smaller groups share.' }),
  total: Type.Object(USE),
  days: Type.Array(Type.Object({ at: Type.String({ format: 'date-time' }), ...USE })),
});

export const Usage = model('Usage', 'Accepted messages and their credits.', {
  from: TIME,
  to: TIME,
  zone: TEXT,
  by: nullable(oneOf(USAGE_GROUPS)),
  total: Type.Object(USE),
  series: Type.Array(UsageSeries),
});
export type Usage = Static<typeof Usage>;

/** The counts of a group. */
export interface Grouped {
  group: string | null;
  isRest: boolean;
  counts: SeriesCount[];
}

/**
 * Splits counts by group, the largest first and the rest last. Without counts there is one group when `isSplit` is
 * false, else none.
 */
export function grouped(
  counts: SeriesCount[],
  isSplit: boolean,
  weigh: (count: SeriesCount) => number,
): Grouped[] {
  if (!isSplit) return [{ group: null, isRest: false, counts }];
  const groups = [...Map.groupBy(counts, ({ group, isRest }) => (isRest ? undefined : group))].map(
    ([group, own]) => ({
      group: group ?? null,
      isRest: group === undefined,
      counts: own,
      weight: own.reduce((sum, count) => sum + weigh(count), 0),
    }),
  );
  groups.sort(
    (a, b) =>
      Number(a.isRest) - Number(b.isRest) ||
      b.weight - a.weight ||
      String(a.group).localeCompare(String(b.group)),
  );
  return groups.map(({ weight: _, ...rest }) => rest);
}

/** Adds counts up. */
export function totalsOf(counts: SeriesCount[]): StatTotals {
  const totals = { accepted: 0, submitted: 0, delivered: 0, read: 0, failed: 0, credits: 0 };
  const latencies = new Map<number, number>();
  for (const { outcome, messages, credits, latency } of counts) {
    totals[outcome] += messages;
    if (outcome === 'accepted') totals.credits += credits;
    if (outcome === 'delivered') latencies.set(latency, (latencies.get(latency) ?? 0) + messages);
  }
  return { ...totals, p50Seconds: latencyAt(latencies, 0.5), p95Seconds: latencyAt(latencies, 0.95) };
}

/** Adds counts up by interval; an interval without any has zeros. */
export function byInterval<T>(
  counts: SeriesCount[],
  intervals: readonly Date[],
  total: (counts: SeriesCount[]) => T,
): (T & { at: string })[] {
  const of = Map.groupBy(counts, ({ at }) => at.getTime());
  return intervals.map((at) => ({ at: at.toISOString(), ...total(of.get(at.getTime()) ?? []) }));
}

/** The messages and credits of accepted messages. */
export function useOf(counts: SeriesCount[]): { messages: number; credits: number } {
  const accepted = counts.filter(({ outcome }) => outcome === 'accepted');
  return {
    messages: accepted.reduce((sum, { messages }) => sum + messages, 0),
    credits: accepted.reduce((sum, { credits }) => sum + credits, 0),
  };
}
