import { ApiPropertyOptional } from '@nestjs/swagger';
import { MESSAGE_STATUSES, wireStatus } from '@signalbox/domain/message-status';
import type { Violation } from '@signalbox/domain/violation';
import { Transform } from 'class-transformer';
import { IsIn, IsString, Matches } from 'class-validator';
import { PageQuery } from '../http/page-query.ts';
import { IsMsisdn, MaxCodePoints, Optional } from '../http/rules.ts';
import { readTimeRange } from '../http/time-range.ts';
import { UUID } from '../http/uuid.ts';

const STATUSES = MESSAGE_STATUSES.map(wireStatus);

/** Filters of a list of messages, all of which must match. */
export class MessageListRequest extends PageQuery {
  @ApiPropertyOptional({
    description: 'Recipient with its country code. In a query string, write a plus as %2B.',
  })
  @Optional()
  @IsString()
  @IsMsisdn()
  recipient?: string;

  @ApiPropertyOptional({ enum: STATUSES, description: 'Status, in any case.' })
  @Optional()
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? wireStatus(value.toUpperCase()) : value,
  )
  @IsIn(STATUSES)
  status?: string;

  @ApiPropertyOptional({ enum: ['sms', 'chatapp'] })
  @Optional()
  @IsIn(['sms', 'chatapp'])
  channel?: 'sms' | 'chatapp';

  @ApiPropertyOptional({ description: 'The `id` returned by a send.' })
  @Optional()
  @IsString()
  @Matches(UUID)
  submissionId?: string;

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

  acceptedFrom: Date | undefined;
  acceptedTo: Date | undefined;

  /** Parses and checks the two times. */
  static check(request: MessageListRequest): Violation[] {
    const violations: Violation[] = [];
    const { from, to } = readTimeRange(request, violations);
    request.acceptedFrom = from;
    request.acceptedTo = to;
    return violations;
  }
}
