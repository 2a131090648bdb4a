import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import {
  JOB_STATES,
  type JobState,
  MAX_JOBS,
  REMOVABLE_STATES,
  type RemovableState,
} from '@signalbox/queues/queue-admin';
import { IsBoolean, IsIn } from 'class-validator';
import { PageQuery } from '../http/page-query.ts';
import { Optional, ReadInteger } from '../http/rules.ts';

/** Query of GET /v1/queues/{name}. */
export class QueueQuery {
  @ApiPropertyOptional({ minimum: 1, maximum: 24, default: 3, description: 'Hours of `minutes`, up to now.' })
  @Optional()
  @ReadInteger()
  @IsIntBetween(1, 24)
  hours: number = 3;
}

/** Query of GET /v1/queues/{name}/jobs. */
export class JobQuery extends PageQuery {
  @ApiPropertyOptional({ enum: JOB_STATES, default: 'waiting', description: 'Only jobs in this state.' })
  @Optional()
  @IsIn(JOB_STATES)
  state: JobState = 'waiting';
}

const DRY_RUN = { type: Boolean, default: false, description: 'True only counts the jobs.' };

/** Body of POST /v1/queues/{name}/retry. */
export class RetryJobsRequest {
  @ApiPropertyOptional(DRY_RUN)
  @Optional()
  @IsBoolean()
  dryRun?: boolean | null;

  @ApiPropertyOptional({
    type: Number,
    minimum: 1,
    maximum: MAX_JOBS,
    default: MAX_JOBS,
    description: 'Maximum number of jobs in this call. Repeat the call until it returns 0.',
  })
  @Optional()
  @IsIntBetween(1, MAX_JOBS)
  limit?: number | null;

  static readonly refusesUnknown = {};
}

/** Body of POST /v1/queues/{name}/drain. */
export class DrainRequest extends RetryJobsRequest {
  @ApiPropertyOptional({ type: Boolean, default: false, description: 'True also removes delayed jobs.' })
  @Optional()
  @IsBoolean()
  delayed?: boolean | null;
}

/** Body of POST /v1/queues/{name}/clean. */
export class CleanRequest extends RetryJobsRequest {
  @ApiProperty({ enum: REMOVABLE_STATES, description: 'State of the jobs to remove.' })
  @IsIn(REMOVABLE_STATES)
  state!: RemovableState;
}
