import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import type { Channel } from '@signalbox/domain/channel';
import { MAX_USER_ID_LENGTH } from '@signalbox/domain/chat/user-id';
import { MAX_ADDRESS_LENGTH } from '@signalbox/domain/sms/sender';
import { ChannelFilter } from '../http/filter-fields.ts';
import { PageQuery } from '../http/page-query.ts';
import { FilledText, Optional } from '../http/rules.ts';

/** Selects conversations. */
export class ConversationsQuery extends PageQuery {
  @ChannelFilter()
  channel?: Channel;

  @ApiPropertyOptional({
    description: 'Conversations of one sender of the account: a number, a short code or a name.',
  })
  @Optional()
  @FilledText(MAX_ADDRESS_LENGTH)
  sender?: string;

  @ApiPropertyOptional({
    description: 'Conversations with one writer: a number, a user id, a short code or a name.',
  })
  @Optional()
  @FilledText(MAX_USER_ID_LENGTH)
  recipient?: string;

  @ApiPropertyOptional({
    enum: ['true', 'false'],
    description: '`true` for conversations whose person wrote within 24 hours only.',
  })
  @Optional()
  @IsIn(['true', 'false'])
  open?: 'true' | 'false';
}
