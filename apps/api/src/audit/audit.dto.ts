import { ApiPropertyOptional } from '@nestjs/swagger';
import type { Violation } from '@signalbox/domain/violation';
import { IsString } from 'class-validator';
import { PageQuery } from '../http/page-query.ts';
import { MaxCodePoints, Optional } from '../http/rules.ts';
import { readTimeRange } from '../http/time-range.ts';

/** Filters and paging of the audit log. */
export class AuditQuery extends PageQuery {
  @ApiPropertyOptional({ description: '`user:<id>`, `api-key:<id>` or `cli`.' })
  @Optional()
  @IsString()
  @MaxCodePoints(200)
  actor?: string;

  @ApiPropertyOptional({ description: 'Operation id.', example: 'revokeApiKey' })
  @Optional()
  @IsString()
  @MaxCodePoints(200)
  action?: string;

  @ApiPropertyOptional({ description: 'Id of what was changed.' })
  @Optional()
  @IsString()
  @MaxCodePoints(300)
  target?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'Start of the range, inclusive.' })
  @Optional()
  @IsString()
  from?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'End of the range, exclusive.' })
  @Optional()
  @IsString()
  to?: string;

  static check(query: AuditQuery): Violation[] {
    const violations: Violation[] = [];
    readTimeRange(query, violations);
    return violations;
  }
}
