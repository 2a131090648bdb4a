import { ApiPropertyOptional } from '@nestjs/swagger';
import { parseInstant } from '@signalbox/domain/instant';
import { MESSAGE_STATUSES, wireStatus } from '@signalbox/domain/message-status';
import type { Violation } from '@signalbox/domain/violation';
import { Transform } from 'class-transformer';
import { IsIn, IsString, Matches } from 'class-validator';
import { PageQuery } from '../http/page-query.ts';
import { IsMsisdn, MaxCodePoints, Optional } from '../http/rules.ts';
import { UUID } from '../http/uuid.ts';

const STATUSES = MESSAGE_STATUSES.map(wireStatus);
/** Which messages to list: those that match every filter that is given. */
export class MessageListRequest extends PageQuery {
  @ApiPropertyOptional({ description: 'A number with its country code; a plus in a query is written %2B' })
  @Optional()
  @IsString()
  @IsMsisdn()
  recipient?: string;

  @ApiPropertyOptional({ enum: STATUSES, description: 'In any case' })
  @Optional()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? wireStatus(value.toUpperCase()) : value))
  @IsIn(STATUSES)
  status?: string;

  @ApiPropertyOptional({ enum: ['sms', 'chatapp'] })
  @Optional()
  @IsIn(['sms', 'chatapp'])
  channel?: 'sms' | 'chatapp';

  @ApiPropertyOptional({ description: 'The id of the answer to a send' })
  @Optional()
  @IsString()
  @Matches(UUID)
  submissionId?: string;

  @ApiPropertyOptional({ description: 'The campaignName of the send' })
  @Optional()
  @IsString()
  @MaxCodePoints(256)
  campaignName?: string;

  @ApiPropertyOptional({ description: 'The clientRef of the send' })
  @Optional()
  @IsString()
  @MaxCodePoints(255)
  clientRef?: string;

  @ApiPropertyOptional()
  @Optional()
  @IsString()
  @MaxCodePoints(15)
  sender?: string;

  @ApiPropertyOptional({ description: 'Accepted at this time or later (ISO 8601 with its zone)', example: '2026-11-20T00:00:00Z' })
  @Optional()
  @IsString()
  from?: string;

  @ApiPropertyOptional({ description: 'Accepted before this time', example: '2026-11-21T00:00:00Z' })
  @Optional()
  @IsString()
  to?: string;

  acceptedFrom: Date | undefined;
  acceptedTo: Date | undefined;

  /** Reads the two times, and tells what is wrong with them. */
  static settle(request: MessageListRequest): Violation[] {
    const violations: Violation[] = [];
    request.acceptedFrom = readTime('from', request.from, violations);
    request.acceptedTo = readTime('to', request.to, violations);
    const { acceptedFrom, acceptedTo } = request;
    if (acceptedFrom && acceptedTo && acceptedTo <= acceptedFrom)
      violations.push({ field: 'to', rule: 'out_of_range', message: 'must be after from' });
    return violations;
  }
}

function readTime(field: string, text: unknown, violations: Violation[]): Date | undefined {
  if (typeof text !== 'string') return undefined; // told already, or not there
  const at = parseInstant(text);
  if (!at)
    violations.push({ field, rule: 'invalid_format', message: 'must be a time in ISO 8601 with its zone, such as 2026-11-20T09:00:00Z' });
  return at;
}
