import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { counted, dataOf, pageOf } from '../http/answer.ts';
import { CleanRequest, DrainRequest, JobQuery, QueueQuery, RetryJobsRequest } from './queue.dto.ts';
import { JobView, QueueActionView, QueueHistoryView, QueueView } from './queue.view.ts';
import * as examples from './queues.examples.ts';
import { QueuesService } from './queues.service.ts';

@Endpoints('Operations', { scope: 'ops', params: { name: { example: examples.QUEUE_NAME } } })
@Controller('v1/queues')
export class QueuesController {
  constructor(private readonly queues: QueuesService) {}

  @Get()
  @Endpoint({
    summary: 'List queues',
    description: 'All queues with their jobs by state. `nextCursor` is always null.',
    answer: pageOf(QueueView, [examples.QUEUE], 'queue'),
    returns: 'The queues.',
  })
  listQueues() {
    return this.queues.list();
  }

  @Get(':name')
  @Endpoint({
    summary: 'Get a queue',
    description:
      'Shows its jobs by state, and its last hours by minute, which survive a restart of any process.',
    answer: dataOf(QueueHistoryView, examples.QUEUE_HISTORY, 'The queue was found.'),
  })
  getQueue(@Param('name') name: string, @Query() query: QueueQuery) {
    return this.queues.get(name, query);
  }

  @Get(':name/jobs')
  @Endpoint({
    summary: 'List the jobs of a queue',
    description:
      'Jobs of one state: the next to run first, failed ones newest first. Jobs move between two pages, so that a job may be listed twice or not at all.',
    answer: pageOf(JobView, examples.JOBS, 'job'),
  })
  listJobs(@CurrentAccount() accountId: string, @Param('name') name: string, @Query() query: JobQuery) {
    return this.queues.listJobs(accountId, name, query);
  }

  @Post(':name/pause')
  @Endpoint({
    summary: 'Pause a queue',
    description:
      'Workers take no more of its jobs, within a second; those in progress end. The queue of a lane also holds the messages of that lane. A wiped Redis forgets the pause.',
    answer: dataOf(QueueView, examples.QUEUE_PAUSED, 'The queue was paused.'),
  })
  pauseQueue(@CurrentCaller() caller: Caller, @Param('name') name: string) {
    return this.queues.pause(caller, name);
  }

  @Post(':name/resume')
  @Endpoint({
    summary: 'Resume a queue',
    answer: dataOf(QueueView, examples.QUEUE, 'The queue was resumed.'),
  })
  resumeQueue(@CurrentCaller() caller: Caller, @Param('name') name: string) {
    return this.queues.resume(caller, name);
  }

  @Post(':name/drain')
  @Endpoint({
    summary: 'Remove the waiting jobs of a queue',
    description:
      'Loses nothing: rows whose job is gone get another within seconds. A call removes at most 200,000 jobs.',
    body: examples.DRAIN_BODIES,
    answer: dataOf(QueueActionView, examples.QUEUE_DRAINED, acted('removed')),
    returns: 'The number of removed jobs, and the queue.',
  })
  drainQueue(@CurrentCaller() caller: Caller, @Param('name') name: string, @Body() request: DrainRequest) {
    return this.queues.drain(caller, name, request);
  }

  @Post(':name/retry')
  @Endpoint({
    summary: 'Retry the failed jobs of a queue',
    description: 'Enqueues its failed jobs again. A job whose rows are done meanwhile does nothing.',
    body: examples.RETRY_BODIES,
    answer: dataOf(QueueActionView, examples.JOBS_RETRIED, acted('enqueued')),
    returns: 'The number of enqueued jobs, and the queue.',
  })
  retryJobs(@CurrentCaller() caller: Caller, @Param('name') name: string, @Body() request: RetryJobsRequest) {
    return this.queues.retry(caller, name, request);
  }

  @Post(':name/clean')
  @Endpoint({
    summary: 'Remove the jobs of one state',
    description: 'As a drain does, for the failed, delayed or waiting jobs.',
    body: examples.CLEAN_BODIES,
    answer: dataOf(QueueActionView, examples.QUEUE_CLEANED, acted('removed')),
    returns: 'The number of removed jobs, and the queue.',
  })
  cleanQueue(@CurrentCaller() caller: Caller, @Param('name') name: string, @Body() request: CleanRequest) {
    return this.queues.clean(caller, name, request);
  }
}

/** Makes the message that counts the jobs of an action. */
function acted(done: string): (outcome: QueueActionView) => string {
  return ({ jobs, dryRun }) => {
    const verb = jobs === 1 ? 'was' : 'were';
    return `${counted(jobs, 'job')} ${dryRun ? 'would be' : verb} ${done}.`;
  };
}
