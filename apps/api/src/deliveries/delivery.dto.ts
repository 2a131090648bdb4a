import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Violation } from '@signalbox/domain/violation';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  Max,
  Min,
} from 'class-validator';
import { PageQuery } from '../http/page-query.ts';
import { IsMsisdn, Optional } from '../http/rules.ts';
import { type TimeRange, readTimeRange } from '../http/time-range.ts';

export const DELIVERY_STATUSES = ['waiting', 'delivered', 'exhausted'] as const;
export const REPLAYABLE_STATUSES = ['exhausted', 'delivered'] as const;

/** Which deliveries of a webhook to list. */
export class DeliveriesQuery extends PageQuery {
  @ApiPropertyOptional({ enum: DELIVERY_STATUSES })
  @Optional()
  @IsIn(DELIVERY_STATUSES)
  status?: (typeof DELIVERY_STATUSES)[number];

  @ApiPropertyOptional({
    description: 'Reports that came at this time or later, ISO 8601',
    example: '2026-11-20T00:00:00Z',
  })
  @Optional()
  @IsString()
  from?: string;

  @ApiPropertyOptional({ description: 'Reports that came before this time, ISO 8601' })
  @Optional()
  @IsString()
  to?: string;

  @ApiPropertyOptional({ description: 'Of one message' })
  @Optional()
  @IsString()
  messageId?: string;

  @ApiPropertyOptional({ description: 'Of messages to this number', example: '919812345678' })
  @Optional()
  @IsString()
  @IsMsisdn()
  recipient?: string;

  times: TimeRange = { from: undefined, to: undefined };

  static settle(query: DeliveriesQuery): Violation[] {
    return settleTimes(query);
  }
}

/** Which deliveries of a webhook to make again. */
export class ReplayRequest {
  @ApiProperty({
    description: 'Reports that came at this time or later, ISO 8601',
    example: '2026-11-20T00:00:00Z',
  })
  @IsString()
  from!: string;

  @ApiPropertyOptional({ description: 'Reports that came before this time, ISO 8601; now unless told' })
  @Optional()
  @IsString()
  to?: string;

  @ApiPropertyOptional({ enum: REPLAYABLE_STATUSES, isArray: true, description: '`exhausted` unless told' })
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(REPLAYABLE_STATUSES.length)
  @ArrayUnique()
  @IsIn(REPLAYABLE_STATUSES, { each: true })
  status?: (typeof REPLAYABLE_STATUSES)[number][];

  @ApiPropertyOptional({
    default: 50,
    minimum: 1,
    maximum: 1_000,
    description: 'Deliveries a second, beside what the webhook itself allows',
  })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(1_000)
  ratePerSecond: number = 50;

  @ApiPropertyOptional({ default: false, description: 'Counts only' })
  @Optional()
  @IsBoolean()
  dryRun: boolean = false;

  times: TimeRange = { from: undefined, to: undefined };

  static settle(request: ReplayRequest): Violation[] {
    return settleTimes(request);
  }
}

function settleTimes(request: DeliveriesQuery | ReplayRequest): Violation[] {
  const violations: Violation[] = [];
  request.times = readTimeRange(request, violations);
  return violations;
}
