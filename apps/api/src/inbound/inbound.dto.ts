import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CHANNELS, type Channel } from '@signalbox/domain/channel';
import { parseMessageId } from '@signalbox/domain/message-id';
import { MAX_REPLY_ID, MAX_ROW_DESCRIPTION, MAX_ROW_TITLE } from '@signalbox/domain/chat/limits';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { MAX_BUTTON_LENGTH } from '@signalbox/domain/templates/template';
import { type Violation, violation } from '@signalbox/domain/violation';
import { Nested } from '@signalbox/gateways/nested';
import { IsIn, IsString, ValidateBy, ValidateIf } from 'class-validator';
import { TimeFilter } from '../http/filter-fields.ts';
import { PageQuery } from '../http/page-query.ts';
import { FilledText, IsChatAccountId, IsMsisdn, MaxCodePoints, Optional } from '../http/rules.ts';
import { type TimeRange, readTimes } from '../http/time-range.ts';

/** A time range of a list of inbound messages. */
class ReceivedQuery extends PageQuery {
  @TimeFilter('Received at or after this time, in ISO 8601 with its zone.', '2026-11-20T00:00:00Z')
  receivedFrom?: string;

  @TimeFilter('Received before this time.', '2026-11-21T00:00:00Z')
  receivedTo?: string;

  times: TimeRange = { from: undefined, to: undefined };

  static check(query: ReceivedQuery): Violation[] {
    const { receivedFrom: from, receivedTo: to } = query;
    return readTimes(query, { from, to }, ['receivedFrom', 'receivedTo']);
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

  @ApiPropertyOptional({ type: Number, description: 'Chat account that the message was sent to.' })
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
  @FilledText(MAX_ADDRESS)
  from?: string;

  @ApiPropertyOptional({ description: 'Number or short code that the message was sent to.' })
  @Optional()
  @FilledText(MAX_ADDRESS)
  to?: string;
}

class InboundText {
  @ApiProperty({ maxLength: 4096 })
  @FilledText(4_096)
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

class TappedButton {
  @ApiProperty({ description: 'Label of the button of a template.', maxLength: 25 })
  @FilledText(MAX_BUTTON_LENGTH)
  text!: string;
}

class ChosenReply {
  @ApiProperty({ description: 'Id of the button or row, as it was sent.', maxLength: 256 })
  @FilledText(MAX_REPLY_ID)
  id!: string;

  @ApiProperty({ maxLength: 24 })
  @FilledText(MAX_ROW_TITLE)
  title!: string;

  @ApiPropertyOptional({ maxLength: 72 })
  @Optional()
  @IsString()
  @MaxCodePoints(MAX_ROW_DESCRIPTION)
  description?: string;
}

const REPLY_TYPES = ['button_reply', 'list_reply'] as const;

class InteractiveReply {
  @ApiProperty({ enum: REPLY_TYPES })
  @IsIn(REPLY_TYPES)
  type!: (typeof REPLY_TYPES)[number];

  @ApiPropertyOptional({ description: 'The tapped button.' })
  @ValidateIf(({ type }: InteractiveReply) => type === 'button_reply')
  @Nested(() => ChosenReply)
  button_reply?: ChosenReply;

  @ApiPropertyOptional({ description: 'The chosen row of a list.' })
  @ValidateIf(({ type }: InteractiveReply) => type === 'list_reply')
  @Nested(() => ChosenReply)
  list_reply?: ChosenReply;
}

const REPLIES = ['text', 'button', 'interactive'] as const;

/** A message of a simulated customer. Its content is the member named like its type. */
export class SimulatedInbound {
  @ApiProperty({ enum: CHANNELS })
  @IsIn(CHANNELS)
  channel!: Channel;

  @ApiProperty({ description: 'Number of the customer.' })
  @IsString()
  @IsMsisdn()
  from!: string;

  @ApiProperty({
    description: 'Sender number of one of your chat accounts; for an SMS any sender, also a name.',
    maxLength: MAX_ADDRESS,
  })
  @FilledText(MAX_ADDRESS)
  to!: string;

  @ApiProperty({ enum: REPLIES, description: 'An SMS is a text.' })
  @IsIn(REPLIES)
  type!: (typeof REPLIES)[number];

  @ApiPropertyOptional()
  @ValidateIf(({ type }: SimulatedInbound) => type === 'text')
  @Nested(() => InboundText)
  text?: InboundText;

  @ApiPropertyOptional({ description: 'The tapped button of a template.' })
  @ValidateIf(({ type }: SimulatedInbound) => type === 'button')
  @Nested(() => TappedButton)
  button?: TappedButton;

  @ApiPropertyOptional({ description: 'The tapped button, or the chosen row, of an interactive message.' })
  @ValidateIf(({ type }: SimulatedInbound) => type === 'interactive')
  @Nested(() => InteractiveReply)
  interactive?: InteractiveReply;

  @ApiPropertyOptional({ description: 'The message that this one replies to.' })
  @Optional()
  @Nested(() => InboundContext)
  context?: InboundContext;

  static check(_: SimulatedInbound, { channel, type, to }: Partial<SimulatedInbound>): Violation[] {
    if (channel === 'chatapp' && to !== undefined && parseMsisdn(to) === undefined)
      return [violation('to', 'invalid_format', 'must be a phone number of 7 to 15 digits')];
    if (channel === 'sms' && type !== undefined && type !== 'text')
      return [violation('type', 'not_allowed_value', 'must be text for an SMS')];
    return [];
  }
}
