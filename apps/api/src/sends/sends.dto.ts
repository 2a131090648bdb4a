import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Channel } from '@signalbox/domain/channel';
import type { Violation } from '@signalbox/domain/violation';
import { Nested } from '@signalbox/gateways/nested';
import { IsBoolean } from 'class-validator';
import {
  CampaignFilter,
  ChannelFilter,
  ReferenceFilter,
  SenderFilter,
  TimeFilter,
} from '../http/filter-fields.ts';
import { Optional } from '../http/rules.ts';
import { type TimeRange, readTimes } from '../http/time-range.ts';

/** The fields of a send whose messages are cancelled. */
export class CancelFilter {
  @ChannelFilter()
  channel?: Channel;

  @CampaignFilter()
  campaignName?: string;

  @ReferenceFilter()
  clientRef?: string;

  @SenderFilter()
  sender?: string;

  @TimeFilter('Accepted at or after this time, in ISO 8601 with its zone.')
  from?: string;

  @TimeFilter('Accepted before this time; now by default.')
  to?: string;
}

const FILTERS = ['channel', 'campaignName', 'clientRef', 'sender', 'from', 'to'] as const;

/** Cancels pending messages of many sends. */
export class CancelRequest {
  @ApiProperty({ description: 'Fields that a send must match, at least one.' })
  @Nested(() => CancelFilter)
  filter!: CancelFilter;

  @ApiPropertyOptional({ default: false, description: 'Counts only, and cancels nothing.' })
  @Optional()
  @IsBoolean()
  dryRun: boolean = false;

  times: TimeRange = { from: undefined, to: undefined };

  static readonly refusesUnknown = {};

  /** Requires a filter, and parses its times. */
  static check(request: CancelRequest, passed: Partial<CancelRequest>): Violation[] {
    const { filter } = passed;
    if (filter === undefined || filter === null || typeof filter !== 'object') return [];
    const isGiven = FILTERS.some((name) => filter[name] !== undefined && filter[name] !== null);
    if (!isGiven) {
      const message = `must name at least one of ${FILTERS.join(', ')}`;
      return [{ field: 'filter', rule: 'required', message }];
    }
    return readTimes(request, filter).map((violation) => ({
      ...violation,
      field: `filter.${violation.field}`,
    }));
  }
}
