import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, Matches } from 'class-validator';
import { PageQuery } from '../http/page-query.ts';
import { IsMsisdn, Optional } from '../http/rules.ts';
import { UUID } from '../http/uuid.ts';

/** Filters of assignments. */
export class AssignmentQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'Only numbers of this account.' })
  @Optional()
  @IsString()
  @Matches(UUID, { message: 'must be the id of an account' })
  accountId?: string;

  @ApiPropertyOptional({ description: 'Only this number.' })
  @Optional()
  @IsString()
  @IsMsisdn()
  msisdn?: string;
}

/** A number to assign to an account. */
export class AssignmentRequest {
  @ApiProperty({ example: '15550100004', description: 'Phone number with its country code.' })
  @IsString()
  @IsMsisdn()
  msisdn!: string;

  @ApiPropertyOptional({ description: 'Account that gets it; by default the account of the caller.' })
  @Optional()
  @IsString()
  @Matches(UUID, { message: 'must be the id of an account' })
  accountId?: string;
}

/** Options of a release. */
export class ReleaseQuery {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    description:
      '`true` also releases a number that is in use; its pending messages fail with errCode `904`.',
  })
  @Optional()
  @IsIn(['true', 'false'])
  removeSender?: 'true' | 'false';
}
