import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { QUARTER_DAYS } from '@signalbox/database/statistics/minutes';
import {
  type SeriesFilter,
  type Source,
  type Step,
  findBuiltAt,
  listIntervals,
  listSeries,
} from '@signalbox/database/statistics/series';
import { parseTimeZone } from '@signalbox/domain/time-zone';
import { EntityManager } from 'typeorm';
import { SEARCHES } from '../core.module.ts';
import type { MessageStatsQuery, UsageQuery } from './statistics.dto.ts';
import { type MessageStats, type Usage, byInterval, grouped, totalsOf, useOf } from './statistics.view.ts';

const DAY_MS = 86_400_000;

/** Reads statistics of an account's messages. */
@Injectable()
export class StatisticsService {
  constructor(@InjectEntityManager(SEARCHES) private readonly db: EntityManager) {}

  async messages(accountId: string, query: MessageStatsQuery): Promise<MessageStats> {
    const { by, channel, gateway, sender, errCode } = query;
    const step = query.step!;
    const { filter, zone } = await this.prepare(query.range, step, query.zone);
    const matching = { ...filter, channel, gateway, sender, errCode };
    const [counts, builtAt] = await Promise.all([
      listSeries(this.db, accountId, matching, by && { by, rank: 'messages' }),
      findBuiltAt(this.db),
    ]);
    return {
      from: filter.from.toISOString(),
      to: filter.to.toISOString(),
      step,
      zone,
      by: by ?? null,
      builtAt: builtAt?.toISOString() ?? null,
      total: totalsOf(counts),
      series: grouped(counts, by !== undefined, ({ messages }) => messages).map((each) => ({
        group: each.group,
        isRest: each.isRest,
        total: totalsOf(each.counts),
        points: byInterval(each.counts, filter.intervals, totalsOf),
      })),
    };
  }

  async usage(accountId: string, query: UsageQuery): Promise<Usage> {
    const { by, channel, sender } = query;
    const { filter, zone } = await this.prepare(query.range, 'day', query.zone);
    const split = by && ({ by, rank: 'credits' } as const);
    const counts = await listSeries(this.db, accountId, { ...filter, channel, sender }, split);
    return {
      from: filter.from.toISOString(),
      to: filter.to.toISOString(),
      zone,
      by: by ?? null,
      total: useOf(counts),
      series: grouped(counts, by !== undefined, (count) => useOf([count]).credits).map((each) => ({
        group: each.group,
        isRest: each.isRest,
        total: useOf(each.counts),
        days: byInterval(each.counts, filter.intervals, useOf),
      })),
    };
  }

  /** Extends the range to whole intervals, and chooses the table and the zone that serve it. */
  private async prepare(
    { from, to }: { from: Date; to: Date },
    step: Step,
    given: string,
  ): Promise<{ filter: SeriesFilter; zone: string }> {
    const wanted = parseTimeZone(given)!;
    const source = sourceFor(step, from, wanted);
    const zone = source === 'day' ? 'UTC' : wanted;
    const { intervals, end } = await listIntervals(this.db, { from, to, step, zone });
    return { filter: { from: intervals[0] ?? from, to: end, intervals, source }, zone };
  }
}

/**
 * Chooses the table to read. Days of another zone are made of quarters of an hour; those are deleted sooner than days
 * of UTC, which then stand in for them.
 */
function sourceFor(step: Step, from: Date, zone: string): Source {
  if (step === 'minute') return 'minute';
  if (step === 'hour') return 'quarter';
  const isOld = from.getTime() < Date.now() - (QUARTER_DAYS - 1) * DAY_MS;
  return isOld || zone === 'UTC' ? 'day' : 'quarter';
}
