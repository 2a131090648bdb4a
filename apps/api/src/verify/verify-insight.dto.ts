import { ApiPropertyOptional } from '@nestjs/swagger';
import { STAT_GROUPS, type StatGroup } from '@signalbox/database/verify/stats';
import { DAY_MS } from '@signalbox/domain/verify/limits';
import { UNKNOWN_COUNTRY } from '@signalbox/domain/verify/numbers';
import type { Violation } from '@signalbox/domain/violation';
import { DistinctTexts } from '@signalbox/gateways/distinct-texts';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import { ArrayMaxSize, IsArray, IsIn, IsString, Matches, ValidateBy } from 'class-validator';
import { AreCountries, HasCountryForm, Nullable, Optional } from '../http/rules.ts';

const MAX_DAYS = 366;

/** A day of the calendar from 1970 to 9999, such as `2026-11-20`. */
function IsDay(): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' && isDay(value);
  const message = 'must be a day that exists, from 1970 on, such as 2026-11-20';
  return ValidateBy({ name: 'isDay', validator: { validate } }, { message });
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = Date.parse(text);
  return at >= 0 && dayOf(at) === text;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Selects the codes to count. */
export class StatsQuery {
  @ApiPropertyOptional({
    example: '2026-11-01',
    description: 'First day, in UTC; 30 days before `to` by default',
  })
  @Optional()
  @IsString()
  @IsDay()
  from?: string;

  @ApiPropertyOptional({ example: '2026-11-30', description: 'Last day, in UTC; today by default' })
  @Optional()
  @IsString()
  @IsDay()
  to?: string;

  @ApiPropertyOptional({ enum: STAT_GROUPS, default: 'day', description: 'Groups to count by' })
  @Optional()
  @IsIn(STAT_GROUPS)
  by: StatGroup = 'day';

  @ApiPropertyOptional({ description: 'Codes of one configuration' })
  @Optional()
  @IsString()
  configId?: string;

  @ApiPropertyOptional({
    example: 'IN',
    description: 'Codes to one country, as an ISO 3166-1 alpha-2 code; `ZZ` for numbers of no country',
  })
  @Optional()
  @IsString()
  @HasCountryForm()
  country?: string;

  static check(query: StatsQuery, passed: Partial<StatsQuery>): Violation[] {
    if (query.from !== passed.from || query.to !== passed.to) return [];
    const to = query.to ?? dayOf(Date.now());
    const from = query.from ?? dayOf(Date.parse(to) - 30 * DAY_MS);
    const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
    if (days < 1) return [{ field: 'to', rule: 'out_of_range', message: 'must not be before from' }];
    if (days > MAX_DAYS)
      return [
        { field: 'from', rule: 'out_of_range', message: `must be at most ${MAX_DAYS - 1} days before to` },
      ];
    query.from = from;
    query.to = to;
    return [];
  }
}

/** Settings of an account's policy to change. Omitted settings keep their values. */
export class PolicyChange {
  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    example: ['IN', 'AE'],
    description:
      'Countries that codes may be sent to, as ISO 3166-1 alpha-2 codes, and `ZZ` for numbers of no country; null allows every country',
  })
  @Nullable()
  @DistinctTexts(250)
  @AreCountries({ code: UNKNOWN_COUNTRY, meaning: 'numbers of no country' })
  countries?: string[] | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 1,
    default: 100,
    description:
      'Maximum number of codes per hour to numbers that differ in their last four digits only; null removes the limit',
  })
  @Nullable()
  @IsIntBetween(1, 1_000_000)
  maxSendsPerPrefixPerHour?: number | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 0,
    default: 5_000,
    description: 'Maximum credits that codes may cost per UTC day; null removes the limit',
  })
  @Nullable()
  @IsIntBetween(0, 1_000_000_000)
  dailyCredits?: number | null;

  @ApiPropertyOptional({
    enum: ['off', 'monitor', 'block'],
    default: 'block',
    description: '`monitor` flags suspect verifications, `block` refuses them',
  })
  @Optional()
  @IsIn(['off', 'monitor', 'block'])
  fraudGuard?: 'off' | 'monitor' | 'block';

  @ApiPropertyOptional({
    minimum: 1,
    maximum: 100,
    default: 20,
    description: 'Percentage of verified codes below which traffic is suspect',
  })
  @Optional()
  @IsIntBetween(1, 100)
  minConversionPercent?: number;

  @ApiPropertyOptional({
    minimum: 1,
    default: 50,
    description: 'Minimum number of codes in 24 hours before traffic is judged',
  })
  @Optional()
  @IsIntBetween(1, 1_000_000)
  minSends?: number;

  @ApiPropertyOptional({
    type: [String],
    maxItems: 500,
    example: ['9198'],
    description: 'Number prefixes exempt from the fraud guard',
  })
  @Optional()
  @IsArray()
  @ArrayMaxSize(500)
  @IsString({ each: true })
  @Matches(/^[1-9]\d{0,14}$/, {
    each: true,
    message: 'must be the first 1 to 15 digits of phone numbers, without a plus',
  })
  guardAllowList?: string[];
}
