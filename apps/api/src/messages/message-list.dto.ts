import { ApiPropertyOptional } from '@nestjs/swagger';
import { MESSAGE_STATUSES, wireStatus } from '@signalbox/domain/message-status';
import type { Violation } from '@signalbox/domain/violation';
import { Transform } from 'class-transformer';
import { IsIn, IsString, Matches, ValidateBy } from 'class-validator';
import { PageQuery } from '../http/page-query.ts';
import { IsMsisdn, MaxCodePoints, Optional, splitList } from '../http/rules.ts';
import { readTimeRange } from '../http/time-range.ts';
import { UUID } from '../http/uuid.ts';

const STATUSES = MESSAGE_STATUSES.map(wireStatus);

/** Reads one status, comma-separated ones, or a list of them, each in any case. */
function readStatuses(value: unknown): unknown {
  const list = typeof value === 'string' ? splitList(value) : value;
  if (!Array.isArray(list)) return list;
  return list.map((each: unknown) => (typeof each === 'string' ? wireStatus(each.toUpperCase()) : each));
}

/** A list of one to five statuses. */
function AreStatuses(): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= STATUSES.length &&
    value.every((each) => STATUSES.includes(each as (typeof STATUSES)[number]));
  const message = `must be one or several of ${STATUSES.join(', ')}`;
  return ValidateBy(
    { name: 'areStatuses', validator: { validate } },
    { message, context: { rule: 'not_allowed_value' } },
  );
}

/** Filters of a list of messages, all of which must match. */
export class MessageListRequest extends PageQuery {
  @ApiPropertyOptional({
    description: 'Recipient with its country code. In a query string, write a plus as %2B.',
  })
  @Optional()
  @IsString()
  @IsMsisdn()
  recipient?: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', enum: STATUSES },
    description: 'Messages with any of these statuses, in any case: a list, or comma-separated text.',
  })
  @Optional()
  @Transform(({ value }: { value: unknown }) => readStatuses(value))
  @AreStatuses()
  status?: string[];

  @ApiPropertyOptional({
    description: 'Messages with this `errCode`; one other than `000` finds failed messages.',
    example: '003',
  })
  @Optional()
  @IsString()
  @MaxCodePoints(16)
  errCode?: string;

  @ApiPropertyOptional({ description: 'Name of the gateway that has the message.', example: 'simulator' })
  @Optional()
  @IsString()
  @MaxCodePoints(40)
  gateway?: string;

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
    format: 'date-time',
    description: 'Accepted at or after this time, in ISO 8601 with its zone.',
    example: '2026-11-20T00:00:00Z',
  })
  @Optional()
  @IsString()
  from?: string;

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'Accepted before this time.',
    example: '2026-11-21T00:00:00Z',
  })
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
