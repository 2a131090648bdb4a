import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { SessionWindow } from '@signalbox/database/chat/senders';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import { IsIn, IsString } from 'class-validator';
import { FilledText, IsMsisdn, Optional } from '../http/rules.ts';

const WINDOWS = ['off', 'enforce'];
const WINDOW_DESCRIPTION =
  '`enforce` refuses all messages except templates to recipients who have not written within the last 24 hours';

/** A chat account to create. */
export class ChatAccountRequest {
  @ApiProperty({ description: 'Name of the chat account, unique within the account', maxLength: 100 })
  @FilledText(100)
  name!: string;

  @ApiPropertyOptional({ enum: WINDOWS, default: 'off', description: WINDOW_DESCRIPTION })
  @Optional()
  @IsIn(WINDOWS)
  sessionWindow: SessionWindow = 'off';
}

/** Settings to change. Omitted settings keep their values. */
export class ChatAccountChange {
  @ApiPropertyOptional({ description: 'Name of the chat account, unique within the account', maxLength: 100 })
  @Optional()
  @FilledText(100)
  name?: string;

  @ApiPropertyOptional({ enum: WINDOWS, description: WINDOW_DESCRIPTION })
  @Optional()
  @IsIn(WINDOWS)
  sessionWindow?: SessionWindow;
}

const RATE_DESCRIPTION = 'Maximum number of messages per second. Further messages wait.';

/** A number to register as a sender. */
export class ChatSenderRequest {
  @ApiProperty({
    example: '15550100002',
    description: 'Phone number of 7 to 15 digits with country code, with an optional plus',
  })
  @IsString()
  @IsMsisdn()
  msisdn!: string;

  @ApiPropertyOptional({ minimum: 1, maximum: 1_000, default: 80, description: RATE_DESCRIPTION })
  @Optional()
  @IsIntBetween(1, 1_000)
  messagesPerSecond: number = 80;
}

/** Settings of a sender to change. */
export class ChatSenderChange {
  @ApiProperty({ minimum: 1, maximum: 1_000, description: RATE_DESCRIPTION })
  @IsIntBetween(1, 1_000)
  messagesPerSecond!: number;
}
