import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { MaxCodePoints, Optional } from '../http/rules.ts';

/** What every send may have (decisions, POST /v1/sms). */
export class SendOptions {
  @ApiPropertyOptional({ description: 'A label to find messages by' })
  @Optional()
  @IsString()
  @MaxCodePoints(256)
  campaignName?: string;

  @ApiPropertyOptional({ description: 'Your own reference' })
  @Optional()
  @IsString()
  @MaxCodePoints(255)
  clientRef?: string;

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'Sends later: a time with its zone, at most 180 days ahead',
  })
  @Optional()
  @IsString()
  sendAt?: string;

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'Fails what is not submitted by then, instead of sending it late',
  })
  @Optional()
  @IsString()
  expiresAt?: string;

  /** `sendAt` and `expiresAt` as times; null when they are not there. */
  goesOutAt: Date | null = null;
  endsAt: Date | null = null;
}

/** How a send is meant; anything but true or false is refused, so that a slip does not send. */
export class SendQuery {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    description: '`true` checks and counts only: nothing is stored or sent',
  })
  @Optional()
  @IsIn(['true', 'false'])
  dryRun?: 'true' | 'false';
}
