import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsString, Max, Min } from 'class-validator';
import { Optional, ReadInteger } from './rules.ts';

/** A page of a list. */
export class PageQuery {
  @ApiPropertyOptional({ minimum: 1, maximum: 200, default: 50 })
  @Optional()
  @ReadInteger()
  @IsInt()
  @Min(1)
  @Max(200)
  limit: number = 50;

  @ApiPropertyOptional({ description: 'The nextCursor of the page before' })
  @Optional()
  @IsString()
  cursor?: string;
}
