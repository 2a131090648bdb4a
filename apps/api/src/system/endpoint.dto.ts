import { ApiPropertyOptional } from '@nestjs/swagger';
import { BREAKER_STATES, type BreakerState } from '@signalbox/database/webhooks/breakers';
import { IsIn, Matches } from 'class-validator';
import { PageQuery } from '../http/page-query.ts';
import { Optional } from '../http/rules.ts';
import { UUID } from '../http/uuid.ts';

/** Query of GET /v1/endpoints. */
export class EndpointQuery extends PageQuery {
  @ApiPropertyOptional({
    enum: BREAKER_STATES,
    description: 'Only endpoints whose circuit breaker is in this state.',
  })
  @Optional()
  @IsIn(BREAKER_STATES)
  state?: BreakerState;

  @ApiPropertyOptional({ format: 'uuid', description: 'Only endpoints of this account.' })
  @Optional()
  @Matches(UUID, { message: 'must be the id of an account' })
  accountId?: string;
}
