import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import { IsString } from 'class-validator';
import { Optional, ReadInteger } from './rules.ts';

/** Paging of a list. */
export class PageQuery {
  @ApiPropertyOptional({ minimum: 1, maximum: 200, default: 50, description: 'Maximum entries of the page.' })
  @Optional()
  @ReadInteger()
  @IsIntBetween(1, 200)
  limit: number = 50;

  @ApiPropertyOptional({ description: 'The `nextCursor` of the previous page.' })
  @Optional()
  @IsString()
  cursor?: string;
}
