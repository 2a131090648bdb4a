import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { HOURS_KEPT_DAYS } from '@signalbox/database/webhooks/endpoint-hours';
import type { Violation } from '@signalbox/domain/violation';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import { DistinctWords } from '@signalbox/gateways/distinct-texts';
import { ArrayMinSize, IsBoolean, IsIn, IsString } from 'class-validator';
import { TimeFilter } from '../http/filter-fields.ts';
import { PageQuery } from '../http/page-query.ts';
import { IsMsisdn, Optional, ReadInteger } from '../http/rules.ts';
import { type TimeRange, readTimes } from '../http/time-range.ts';

export const DELIVERY_STATUSES = ['waiting', 'delivered', 'exhausted'] as const;
const REPLAYABLE_STATUSES = ['exhausted', 'delivered'] as const;

/** Filters deliveries of a webhook. */
export class DeliveriesQuery extends PageQuery {
  @ApiPropertyOptional({ enum: DELIVERY_STATUSES, description: 'Status of the delivery' })
  @Optional()
  @IsIn(DELIVERY_STATUSES)
  status?: (typeof DELIVERY_STATUSES)[number];

  @TimeFilter('Reports received at or after this time, in ISO 8601 with a zone', '2026-11-20T00:00:00Z')
  from?: string;

  @TimeFilter('Reports received before this time')
  to?: string;

  @ApiPropertyOptional({ description: 'Deliveries of one message' })
  @Optional()
  @IsString()
  messageId?: string;

  @ApiPropertyOptional({ description: 'Deliveries of messages to this number', example: '919812345678' })
  @Optional()
  @IsString()
  @IsMsisdn()
  recipient?: string;

  times: TimeRange = { from: undefined, to: undefined };

  static check(query: DeliveriesQuery, passed: Partial<DeliveriesQuery>): Violation[] {
    return readTimes(query, passed);
  }
}

/** Selects the webhooks and the time to show the health of. */
export class HealthQuery {
  @ApiPropertyOptional({
    default: 24,
    minimum: 1,
    maximum: 24 * HOURS_KEPT_DAYS,
    description: 'Number of hours to show, the current one included',
  })
  @Optional()
  @ReadInteger()
  @IsIntBetween(1, 24 * HOURS_KEPT_DAYS)
  hours: number = 24;

  @ApiPropertyOptional({ description: 'One webhook only; all by default' })
  @Optional()
  @IsString()
  webhookId?: string;
}

/** Selects deliveries of a webhook to replay. */
export class ReplayRequest {
  @ApiProperty({
    format: 'date-time',
    description: 'Reports received at or after this time, in ISO 8601 with a zone',
    example: '2026-11-20T00:00:00Z',
  })
  @IsString()
  from!: string;

  @TimeFilter('Reports received before this time; now by default')
  to?: string;

  @ApiPropertyOptional({
    enum: REPLAYABLE_STATUSES,
    isArray: true,
    description: 'Statuses to replay; `exhausted` by default',
  })
  @Optional()
  @ArrayMinSize(1)
  @DistinctWords(REPLAYABLE_STATUSES)
  status?: (typeof REPLAYABLE_STATUSES)[number][];

  @ApiPropertyOptional({
    default: 50,
    minimum: 1,
    maximum: 1_000,
    description: 'Maximum number of replayed deliveries per second. The limits of the webhook also apply.',
  })
  @Optional()
  @IsIntBetween(1, 1_000)
  ratePerSecond: number = 50;

  @ApiPropertyOptional({ default: false, description: 'Counts the deliveries without replaying them' })
  @Optional()
  @IsBoolean()
  dryRun: boolean = false;

  times: TimeRange = { from: undefined, to: undefined };

  static readonly refusesUnknown = {};

  static check(request: ReplayRequest, passed: Partial<ReplayRequest>): Violation[] {
    return readTimes(request, passed);
  }
}

/** The status as the database stores it. */
export function storedStatus<S extends (typeof DELIVERY_STATUSES)[number]>(status: S): Uppercase<S> {
  return status.toUpperCase() as Uppercase<S>;
}
