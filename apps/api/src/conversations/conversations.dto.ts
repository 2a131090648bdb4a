import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import type { Channel } from '@signalbox/domain/channel';
import { ChannelFilter } from '../http/filter-fields.ts';
import { PageQuery } from '../http/page-query.ts';
import { IsChatRecipient, IsMsisdn, Optional } from '../http/rules.ts';

/** Selects conversations. */
export class ConversationsQuery extends PageQuery {
  @ChannelFilter()
  channel?: Channel;

  @ApiPropertyOptional({ description: "Conversations of one of the account's numbers." })
  @Optional()
  @IsString()
  @IsMsisdn()
  sender?: string;

  @ApiPropertyOptional({ description: 'Conversations with one number or user id.' })
  @Optional()
  @IsString()
  @IsChatRecipient()
  recipient?: string;

  @ApiPropertyOptional({
    enum: ['true', 'false'],
    description: '`true` for conversations whose person wrote within 24 hours only.',
  })
  @Optional()
  @IsIn(['true', 'false'])
  open?: 'true' | 'false';
}
