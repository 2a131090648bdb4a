import { ApiPropertyOptional } from '@nestjs/swagger';
import { parseMessageId } from '@signalbox/domain/message-id';
import type { Violation } from '@signalbox/domain/violation';
import { IsIn, IsString, Matches } from 'class-validator';
import { PageQuery } from '../http/page-query.ts';
import { FilledText, Optional } from '../http/rules.ts';

/** Kinds of entries of the orphan box. */
export const ORPHAN_KINDS = ['report', 'inbound'] as const;

const NOT_A_MESSAGE_ID = 'must be a messageId: the id of a send, a colon and a number';

/** Filters of a list of orphan reports, all of which must match. */
export class OrphanQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'Name of the gateway.' })
  @Optional()
  @FilledText(40)
  gateway?: string;

  @ApiPropertyOptional({
    enum: ORPHAN_KINDS,
    description:
      '`report` is a delivery report without a message, `inbound` an SMS to a number without an account.',
  })
  @Optional()
  @IsIn(ORPHAN_KINDS)
  kind?: (typeof ORPHAN_KINDS)[number];
}

/** The message of a report, or the account of an inbound SMS. */
export class OrphanAssignment {
  @ApiPropertyOptional({ description: 'For a report: the message that it is about.' })
  @Optional()
  @IsString()
  @Matches(/^[\da-f-]{36}:\d{1,5}$/i, { message: NOT_A_MESSAGE_ID })
  messageId?: string;

  @ApiPropertyOptional({ description: 'For an inbound SMS: the account that gets it.' })
  @Optional()
  @IsString()
  @Matches(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i, { message: 'must be the id of an account' })
  accountId?: string;

  static check(request: OrphanAssignment, { messageId }: Partial<OrphanAssignment>): Violation[] {
    if ((request.messageId === undefined) === (request.accountId === undefined))
      return [{ field: 'messageId', rule: 'required', message: 'or accountId is required, and not both' }];
    return messageId === undefined || parseMessageId(messageId)
      ? []
      : [{ field: 'messageId', rule: 'invalid_format', message: NOT_A_MESSAGE_ID }];
  }
}
