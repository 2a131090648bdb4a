import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { MaxCodePoints, NotInBody, Optional } from '../http/rules.ts';

/** Options of every send. */
export class SendOptions {
  @ApiPropertyOptional({ description: 'Label for your searches and reports.' })
  @Optional()
  @IsString()
  @MaxCodePoints(256)
  campaignName?: string;

  @ApiPropertyOptional({ description: 'Your own reference, returned with the messages.' })
  @Optional()
  @IsString()
  @MaxCodePoints(255)
  clientRef?: string;

  @ApiPropertyOptional({
    format: 'date-time',
    description:
      'Time at which to send, in ISO 8601 with its zone, at most 180 days ahead. By default immediately.',
  })
  @Optional()
  @IsString()
  sendAt?: string;

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'Time after which messages that are not submitted yet fail instead of being sent late.',
  })
  @Optional()
  @IsString()
  expiresAt?: string;

  /** Refused: a caller who means a dry run must not send. */
  @Optional()
  @NotInBody('must be a query parameter, as ?dryRun=true')
  dryRun?: unknown;

  /**
   * `sendAt` and `expiresAt` as instants; null when absent. The hash of a call with an idempotency key covers them by
   * name, so a rename would refuse repeats of calls that an older version accepted.
   */
  goesOutAt: Date | null = null;
  endsAt: Date | null = null;
}

/** Query of a send. Refuses a `dryRun` other than true or false, so that a typo does not send. */
export class SendQuery {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    description: '`true` validates and prices the request; nothing is stored or sent.',
  })
  @Optional()
  @IsIn(['true', 'false'])
  dryRun?: 'true' | 'false';
}
