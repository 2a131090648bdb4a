import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { SessionWindow } from '@signalbox/database/chat/senders';
import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { IsMsisdn, MaxCodePoints, NotBlank, Optional } from '../http/rules.ts';

const WINDOWS = ['off', 'enforce'];
const WINDOW_DESCRIPTION =
  '`enforce` refuses messages other than templates to who has not written within the last 24 hours';

/** A chat account to make. */
export class ChatAccountRequest {
  @ApiProperty({ description: 'Unique in the account', maxLength: 100 })
  @IsString()
  @NotBlank()
  @MaxCodePoints(100)
  name!: string;

  @ApiPropertyOptional({ enum: WINDOWS, default: 'off', description: WINDOW_DESCRIPTION })
  @Optional()
  @IsIn(WINDOWS)
  sessionWindow: SessionWindow = 'off';
}

/** What to change of a chat account; the rest stays as it is. */
export class ChatAccountChange {
  @ApiPropertyOptional({ description: 'Unique in the account', maxLength: 100 })
  @Optional()
  @IsString()
  @NotBlank()
  @MaxCodePoints(100)
  name?: string;

  @ApiPropertyOptional({ enum: WINDOWS, description: WINDOW_DESCRIPTION })
  @Optional()
  @IsIn(WINDOWS)
  sessionWindow?: SessionWindow;
}

const RATE_DESCRIPTION = 'How many messages go out from it each second';

/** A number to send from. */
export class ChatSenderRequest {
  @ApiProperty({ example: '15550100002', description: '7 to 15 digits with country code, optional plus' })
  @IsString()
  @IsMsisdn()
  msisdn!: string;

  @ApiPropertyOptional({ minimum: 1, maximum: 1_000, default: 80, description: RATE_DESCRIPTION })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(1_000)
  messagesPerSecond: number = 80;
}

/** What to change of a sender. */
export class ChatSenderChange {
  @ApiProperty({ minimum: 1, maximum: 1_000, description: RATE_DESCRIPTION })
  @IsInt()
  @Min(1)
  @Max(1_000)
  messagesPerSecond!: number;
}
