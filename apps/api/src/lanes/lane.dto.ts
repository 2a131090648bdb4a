import { ApiPropertyOptional } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { Optional } from '../http/rules.ts';
import { UUID } from '../http/uuid.ts';

/** Query of GET /v1/lanes. */
export class LanesQuery {
  @ApiPropertyOptional({ format: 'uuid', description: 'The `moreAccounts` of the previous page.' })
  @Optional()
  @Matches(UUID, { message: 'must be the moreAccounts of the previous page' })
  after?: string;
}
