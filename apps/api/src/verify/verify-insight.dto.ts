import { ApiPropertyOptional } from '@nestjs/swagger';
import { STAT_GROUPS, type StatGroup } from '@signalbox/database/verify/stats';
import type { Violation } from '@signalbox/domain/violation';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsString,
  Matches,
  Max,
  Min,
} from 'class-validator';
import { Nullable, Optional } from '../http/rules.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;
const MAX_DAYS = 366;
const COUNTRY = /^[A-Z]{2}$/;

/** Which codes to count. */
export class StatsQuery {
  @ApiPropertyOptional({
    example: '2026-11-01',
    description: 'A day of UTC; 30 days before `to` unless told',
  })
  @Optional()
  @IsString()
  @Matches(DAY)
  from?: string;

  @ApiPropertyOptional({ example: '2026-11-30', description: 'The last day; today unless told' })
  @Optional()
  @IsString()
  @Matches(DAY)
  to?: string;

  @ApiPropertyOptional({ enum: STAT_GROUPS, default: 'day' })
  @Optional()
  @IsIn(STAT_GROUPS)
  by: StatGroup = 'day';

  @ApiPropertyOptional()
  @Optional()
  @IsString()
  configId?: string;

  @ApiPropertyOptional({ example: 'IN', description: 'ISO 3166-1; `ZZ` for numbers of no country' })
  @Optional()
  @IsString()
  @Matches(COUNTRY)
  country?: string;

  static settle(query: StatsQuery): Violation[] {
    const given = [query.from, query.to].filter((day) => typeof day === 'string' && DAY.test(day));
    if (given.length !== [query.from, query.to].filter((day) => day !== undefined).length) return []; // told already
    const broken = (['from', 'to'] as const).filter(
      (field) => query[field] !== undefined && !isDay(query[field]),
    );
    if (broken.length > 0)
      return broken.map((field) => ({
        field,
        rule: 'invalid_format',
        message: 'must be a day that there is',
      }));
    const to = query.to ?? dayOf(Date.now());
    const from = query.from ?? dayOf(Date.parse(to) - 30 * DAY_MS);
    const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
    if (days < 1) return [{ field: 'to', rule: 'out_of_range', message: 'must not be before from' }];
    if (days > MAX_DAYS)
      return [{ field: 'from', rule: 'out_of_range', message: `must be at most ${MAX_DAYS} days before to` }];
    Object.assign(query, { from, to });
    return [];
  }
}

function isDay(text: string): boolean {
  const at = Date.parse(text);
  return !Number.isNaN(at) && dayOf(at) === text;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** What may be changed of an account's policy; what is left out stays as it is. */
export class PolicyChange {
  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    example: ['IN', 'AE'],
    description: 'Countries that codes may go to, ISO 3166-1; null for every country',
  })
  @Nullable()
  @IsArray()
  @ArrayMaxSize(250)
  @ArrayUnique()
  @IsString({ each: true })
  @Matches(COUNTRY, { each: true })
  countries?: string[] | null;

  @ApiPropertyOptional({
    nullable: true,
    minimum: 1,
    default: 100,
    description: 'Codes to numbers that differ in their last four digits only',
  })
  @Nullable()
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  maxSendsPerPrefixPerHour?: number | null;

  @ApiPropertyOptional({
    nullable: true,
    minimum: 0,
    description: 'Credits that codes may cost in a day of UTC; null for no limit',
  })
  @Nullable()
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  dailyCredits?: number | null;

  @ApiPropertyOptional({ enum: ['off', 'monitor', 'block'], default: 'monitor' })
  @Optional()
  @IsIn(['off', 'monitor', 'block'])
  fraudGuard?: 'off' | 'monitor' | 'block';

  @ApiPropertyOptional({
    minimum: 1,
    maximum: 100,
    default: 20,
    description: 'A smaller share of verified codes is suspect',
  })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(100)
  minConversionPercent?: number;

  @ApiPropertyOptional({
    minimum: 1,
    default: 50,
    description: 'Fewer codes than this in 24 hours are never suspect',
  })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  minSends?: number;

  @ApiPropertyOptional({
    type: [String],
    maxItems: 500,
    example: ['9198'],
    description: 'Beginnings of numbers that are never suspect',
  })
  @Optional()
  @IsArray()
  @ArrayMaxSize(500)
  @IsString({ each: true })
  @Matches(/^[1-9]\d{0,14}$/, { each: true })
  guardAllowList?: string[];
}
