import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsString, Max, Min } from 'class-validator';
import { Optional, ReadInteger } from './rules.ts';

/** Paging of a list. */
export class PageQuery {
  @ApiPropertyOptional({ minimum: 1, maximum: 200, default: 50, description: 'Maximum entries of the page.' })
  @Optional()
  @ReadInteger()
  @IsInt()
  @Min(1)
  @Max(200)
  limit: number = 50;

  @ApiPropertyOptional({ description: 'The `nextCursor` of the previous page.' })
  @Optional()
  @IsString()
  cursor?: string;
}
