import { ApiPropertyOptional } from '@nestjs/swagger';
import { QUARTER_DAYS, MINUTE_HOURS } from '@signalbox/database/statistics/minutes';
import { SERIES_GROUPS, STEPS, type SeriesGroup, type Step } from '@signalbox/database/statistics/series';
import type { Channel } from '@signalbox/domain/channel';
import { parseTimeZone } from '@signalbox/domain/time-zone';
import type { Violation } from '@signalbox/domain/violation';
import { IsIn, IsString, ValidateBy } from 'class-validator';
import { ChannelFilter, SenderFilter, TextFilter, TimeFilter } from '../http/filter-fields.ts';
import { Optional } from '../http/rules.ts';
import { readTimeRange } from '../http/time-range.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Maximum number of intervals of an answer. */
const MAX_INTERVALS = 1_500;

const MAX_DAYS = 400;

/** A later end could be rounded up to the year 10000, which Postgres does not read. */
const MAX_TO = new Date(Date.UTC(9_999, 0));

const STEP_MS: Record<Step, number> = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS };

/** The groups that use may be split by. */
export const USAGE_GROUPS = ['channel', 'sender'] as const;

/** An IANA time zone. */
function IsTimeZone(): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    typeof value === 'string' && parseTimeZone(value) !== undefined;
  const message = 'must be an IANA time zone, such as Asia/Kolkata';
  return ValidateBy(
    { name: 'isTimeZone', validator: { validate } },
    { message, context: { rule: 'not_allowed_value' } },
  );
}

/** A range of time and the zone that its intervals begin in. */
class RangeQuery {
  @TimeFilter(
    'Begin of the range, in ISO 8601 with a zone; rounded down to an interval.',
    '2026-11-20T00:00:00Z',
  )
  from?: string;

  @TimeFilter(
    'End of the range, exclusive; rounded up to the end of an interval; now by default.',
    '2026-11-21T00:00:00Z',
  )
  to?: string;

  @ApiPropertyOptional({
    default: 'UTC',
    description: `IANA time zone in which hours and days begin. All days of a range that begins more than ${QUARTER_DAYS - 1} days ago are days of UTC.`,
    example: 'Asia/Kolkata',
  })
  @Optional()
  @IsString()
  @IsTimeZone()
  zone: string = 'UTC';

  @ChannelFilter()
  channel?: Channel;

  @SenderFilter()
  sender?: string;
}

/** Selects messages to count. */
export class MessageStatsQuery extends RangeQuery {
  @ApiPropertyOptional({
    enum: STEPS,
    description: `Length of an interval: by default a minute for up to 3 hours, an hour for up to 14 days, else a day. Minutes are kept for ${MINUTE_HOURS} hours, hours for ${QUARTER_DAYS} days, days for ${MAX_DAYS} days.`,
  })
  @Optional()
  @IsIn(STEPS)
  step?: Step;

  @ApiPropertyOptional({
    enum: SERIES_GROUPS,
    description:
      'Splits the messages into series; `status` by what is counted. The ten groups with the most messages have separate series, the others share one.',
  })
  @Optional()
  @IsIn(SERIES_GROUPS)
  by?: SeriesGroup;

  @TextFilter(40, 'Name of a gateway. Accepted messages have none.')
  gateway?: string;

  @TextFilter(16, 'Failed messages with this errCode only.', '003')
  errCode?: string;

  range!: { from: Date; to: Date };

  /** Fills in the range and the step, and checks their size. */
  static check(query: MessageStatsQuery, passed: Partial<MessageStatsQuery>): Violation[] {
    const violations = readRange(query, passed, HOUR_MS);
    if (violations.length > 0 || query.range === undefined || query.step !== passed.step) return violations;
    const lengthMs = query.range.to.getTime() - query.range.from.getTime();
    query.step ??= stepFor(lengthMs);
    if (lengthMs / STEP_MS[query.step] <= MAX_INTERVALS) return [];
    const message = `must be at most ${MAX_INTERVALS} intervals before to; choose a longer step`;
    return [{ field: 'from', rule: 'out_of_range', message }];
  }
}

/** Selects the use of an account. */
export class UsageQuery extends RangeQuery {
  @ApiPropertyOptional({
    enum: USAGE_GROUPS,
    description: 'Splits each day; the ten groups with the most credits have separate series.',
  })
  @Optional()
  @IsIn(USAGE_GROUPS)
  by?: (typeof USAGE_GROUPS)[number];

  range!: { from: Date; to: Date };

  /** Fills in the range, of 30 days by default. */
  static check(query: UsageQuery, passed: Partial<UsageQuery>): Violation[] {
    return readRange(query, passed, 30 * DAY_MS);
  }
}

function readRange(
  query: RangeQuery & { range: { from: Date; to: Date } },
  passed: Partial<RangeQuery>,
  defaultMs: number,
): Violation[] {
  if (query.from !== passed.from || query.to !== passed.to) return [];
  const violations: Violation[] = [];
  const given = readTimeRange(query, violations);
  if (violations.length > 0) return violations;
  const to = given.to ?? new Date();
  const from = given.from ?? new Date(to.getTime() - defaultMs);
  if (from >= to) return [{ field: 'from', rule: 'out_of_range', message: 'must be before to' }];
  if (to > MAX_TO) return [{ field: 'to', rule: 'out_of_range', message: 'must not be after the year 9998' }];
  if (to.getTime() - from.getTime() > MAX_DAYS * DAY_MS)
    return [{ field: 'from', rule: 'out_of_range', message: `must be at most ${MAX_DAYS} days before to` }];
  query.range = { from, to };
  return [];
}

function stepFor(lengthMs: number): Step {
  if (lengthMs <= 3 * HOUR_MS) return 'minute';
  return lengthMs <= 14 * DAY_MS ? 'hour' : 'day';
}
