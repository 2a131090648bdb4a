import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Violation } from '@signalbox/domain/violation';
import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsString, ValidateNested } from 'class-validator';
import { PageQuery } from '../http/page-query.ts';
import { MaxCodePoints, Optional } from '../http/rules.ts';
import { type TimeRange, readTimeRange } from '../http/time-range.ts';

const CHANNELS = ['sms', 'chatapp'] as const;

/** Selects sends; all given fields must match. */
export class SendsQuery extends PageQuery {
  @ApiPropertyOptional({ enum: CHANNELS })
  @Optional()
  @IsIn(CHANNELS)
  channel?: 'sms' | 'chatapp';

  @ApiPropertyOptional({ description: '`campaignName` of the send.' })
  @Optional()
  @IsString()
  @MaxCodePoints(256)
  campaignName?: string;

  @ApiPropertyOptional({ description: '`clientRef` of the send.' })
  @Optional()
  @IsString()
  @MaxCodePoints(255)
  clientRef?: string;

  @ApiPropertyOptional()
  @Optional()
  @IsString()
  @MaxCodePoints(15)
  sender?: string;

  @ApiPropertyOptional({
    description: 'Accepted at or after this time, in ISO 8601 with its zone.',
    example: '2026-11-20T00:00:00Z',
  })
  @Optional()
  @IsString()
  from?: string;

  @ApiPropertyOptional({ description: 'Accepted before this time.', example: '2026-11-21T00:00:00Z' })
  @Optional()
  @IsString()
  to?: string;

  times: TimeRange = { from: undefined, to: undefined };

  /** Parses and checks the two times. */
  static check(query: SendsQuery): Violation[] {
    const violations: Violation[] = [];
    query.times = readTimeRange(query, violations);
    return violations;
  }
}

/** The fields of a send whose messages are cancelled. */
export class CancelFilter {
  @ApiPropertyOptional({ enum: CHANNELS })
  @Optional()
  @IsIn(CHANNELS)
  channel?: 'sms' | 'chatapp';

  @ApiPropertyOptional({ description: '`campaignName` of the send.' })
  @Optional()
  @IsString()
  @MaxCodePoints(256)
  campaignName?: string;

  @ApiPropertyOptional({ description: '`clientRef` of the send.' })
  @Optional()
  @IsString()
  @MaxCodePoints(255)
  clientRef?: string;

  @ApiPropertyOptional()
  @Optional()
  @IsString()
  @MaxCodePoints(15)
  sender?: string;

  @ApiPropertyOptional({ description: 'Accepted at or after this time, in ISO 8601 with its zone.' })
  @Optional()
  @IsString()
  from?: string;

  @ApiPropertyOptional({ description: 'Accepted before this time; now by default.' })
  @Optional()
  @IsString()
  to?: string;
}

const FILTERS = ['channel', 'campaignName', 'clientRef', 'sender', 'from', 'to'] as const;

/** Cancels pending messages of many sends. */
export class CancelRequest {
  @ApiProperty({ description: 'Fields that a send must match, at least one.' })
  @ValidateNested()
  @Type(() => CancelFilter)
  filter!: CancelFilter;

  @ApiPropertyOptional({ default: false, description: 'Counts only, and cancels nothing.' })
  @Optional()
  @IsBoolean()
  dryRun: boolean = false;

  times: TimeRange = { from: undefined, to: undefined };

  /** Requires a filter, and parses its times. */
  static check(request: CancelRequest, passed: Partial<CancelRequest>): Violation[] {
    const { filter } = passed;
    if (filter === undefined || filter === null || typeof filter !== 'object') return [];
    const isGiven = FILTERS.some((name) => filter[name] !== undefined && filter[name] !== null);
    if (!isGiven) {
      const message = `must name at least one of ${FILTERS.join(', ')}`;
      return [{ field: 'filter', rule: 'required', message }];
    }
    const violations: Violation[] = [];
    request.times = readTimeRange(filter, violations);
    return violations.map((violation) => ({ ...violation, field: `filter.${violation.field}` }));
  }
}
