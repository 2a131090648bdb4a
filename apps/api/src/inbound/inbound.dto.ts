import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { parseMessageId } from '@signalbox/domain/message-id';
import type { Violation } from '@signalbox/domain/violation';
import { Type } from 'class-transformer';
import { IsIn, IsString, ValidateBy, ValidateNested } from 'class-validator';
import { PageQuery } from '../http/page-query.ts';
import { IsChatAccountId, IsMsisdn, MaxCodePoints, NotBlank, Optional } from '../http/rules.ts';
import { readTimeRange } from '../http/time-range.ts';

/** A time range of a list of inbound messages. */
class ReceivedQuery extends PageQuery {
  @ApiPropertyOptional({
    description: 'Received at or after this time, in ISO 8601 with its zone.',
    example: '2026-11-20T00:00:00Z',
  })
  @Optional()
  @IsString()
  receivedFrom?: string;

  @ApiPropertyOptional({ description: 'Received before this time.', example: '2026-11-21T00:00:00Z' })
  @Optional()
  @IsString()
  receivedTo?: string;

  range: { from: Date | undefined; to: Date | undefined } = { from: undefined, to: undefined };

  static check(query: ReceivedQuery): Violation[] {
    const violations: Violation[] = [];
    query.range = readTimeRange({ from: query.receivedFrom, to: query.receivedTo }, violations);
    return violations.map((violation) => ({
      ...violation,
      field: violation.field === 'from' ? 'receivedFrom' : 'receivedTo',
    }));
  }
}

/** Filters of a list of inbound chat-app messages, all of which must match. */
export class InboundQuery extends ReceivedQuery {
  @ApiPropertyOptional({ description: 'Number of the customer. In a query string, write a plus as %2B.' })
  @Optional()
  @IsString()
  @IsMsisdn()
  from?: string;

  @ApiPropertyOptional({ description: 'Sender number that the message was sent to.' })
  @Optional()
  @IsString()
  @IsMsisdn()
  to?: string;

  @ApiPropertyOptional({ type: Number })
  @Optional()
  @IsChatAccountId()
  chatAccountId?: number;
}

/** Characters of the longest address of an SMS (SMPP 3.4, section 5.2.8). */
const MAX_ADDRESS = 20;

/** Filters of a list of inbound SMS, all of which must match. */
export class SmsInboundQuery extends ReceivedQuery {
  @ApiPropertyOptional({
    description: 'Number or name that wrote. In a query string, write a plus as %2B.',
  })
  @Optional()
  @IsString()
  @NotBlank()
  @MaxCodePoints(MAX_ADDRESS)
  from?: string;

  @ApiPropertyOptional({ description: 'Number or short code that the message was sent to.' })
  @Optional()
  @IsString()
  @NotBlank()
  @MaxCodePoints(MAX_ADDRESS)
  to?: string;
}

class InboundText {
  @ApiProperty({ maxLength: 4096 })
  @IsString()
  @NotBlank()
  @MaxCodePoints(4_096)
  body!: string;
}

class InboundContext {
  @ApiProperty({ description: 'Id of a message that you sent.' })
  @IsString()
  @ValidateBy({
    name: 'isMessageId',
    validator: {
      validate: (value) => typeof value === 'string' && parseMessageId(value) !== undefined,
      defaultMessage: () => 'must be a messageId',
    },
  })
  messageId!: string;
}

/** A message of a simulated customer. */
export class SimulatedInbound {
  @ApiProperty({ enum: ['chatapp'] })
  @IsIn(['chatapp'])
  channel!: 'chatapp';

  @ApiProperty({ description: 'Number of the customer.' })
  @IsString()
  @IsMsisdn()
  from!: string;

  @ApiProperty({ description: 'Sender number of one of your chat accounts.' })
  @IsString()
  @IsMsisdn()
  to!: string;

  @ApiProperty({ enum: ['text'] })
  @IsIn(['text'])
  type!: 'text';

  @ApiProperty()
  @ValidateNested()
  @Type(() => InboundText)
  text!: InboundText;

  @ApiPropertyOptional({ description: 'The message that this one replies to.' })
  @Optional()
  @ValidateNested()
  @Type(() => InboundContext)
  context?: InboundContext;
}
