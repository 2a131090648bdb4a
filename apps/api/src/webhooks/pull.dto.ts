import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import { NestedList } from '@signalbox/gateways/nested';
import { IsString } from 'class-validator';
import { MaxCodePoints, Nullable, Optional } from '../http/rules.ts';

/** Deliveries of one pull. */
const MAX_PULLED = 100;

const MAX_DURATION_MS = 600_000;

/** Limits a pull. */
export class PullRequest {
  @ApiPropertyOptional({ default: 20, minimum: 1, maximum: MAX_PULLED, description: 'Deliveries to return' })
  @Optional()
  @IsIntBetween(1, MAX_PULLED)
  limit: number = 20;
}

/** The result of a call that the caller made itself. */
class CallResultRequest {
  @ApiProperty({ description: '`id` of the pulled delivery' })
  @IsString()
  @MaxCodePoints(100)
  id!: string;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    description:
      'HTTP status of the response; null, or left out, without a response. 200 to 299 is a success.',
  })
  @Nullable()
  @IsIntBetween(100, 599)
  responseStatus?: number | null;

  @ApiPropertyOptional({
    description: 'Reason of a call without a response, as one word',
    example: 'connection_refused',
  })
  @Optional()
  @IsString()
  @MaxCodePoints(100)
  error?: string;

  @ApiPropertyOptional({ description: 'Beginning of the response to a failed call' })
  @Optional()
  @IsString()
  @MaxCodePoints(4_096)
  answer?: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: MAX_DURATION_MS,
    description: 'Milliseconds that the call took',
  })
  @IsIntBetween(0, MAX_DURATION_MS)
  durationMs!: number;
}

/** Results of pulled deliveries. */
export class PullResultsRequest {
  @ApiProperty({ type: [CallResultRequest], minItems: 1, maxItems: MAX_PULLED, description: 'One per call' })
  @NestedList(() => CallResultRequest, { min: 1, max: MAX_PULLED })
  results!: CallResultRequest[];
}
