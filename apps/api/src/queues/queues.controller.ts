import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, type ListAnswer, answer, counted, listAnswer } from '../http/answer.ts';
import { CleanRequest, DrainRequest, JobQuery, QueueQuery, RetryJobsRequest } from './queue.dto.ts';
import { JobView, QueueActionView, QueueHistoryView, QueueView } from './queue.view.ts';
import * as examples from './queues.examples.ts';
import { QueuesService } from './queues.service.ts';

const params = { name: { example: examples.QUEUE_NAME } };

@ApiTags('Operations')
@Controller('v1/queues')
export class QueuesController {
  constructor(private readonly queues: QueuesService) {}

  @Get()
  @Endpoint({
    id: 'listQueues',
    scope: 'ops',
    summary: 'List queues',
    description: 'All queues with their jobs by state. `nextCursor` is always null.',
    entries: QueueView,
    answer: examples.QUEUES_ANSWER,
    returns: 'The queues.',
  })
  async list(): Promise<ListAnswer<QueueView>> {
    return listAnswer({ page: await this.queues.list(), nextCursor: null }, 'queue');
  }

  @Get(':name')
  @Endpoint({
    id: 'getQueue',
    scope: 'ops',
    summary: 'Get a queue',
    description:
      'Shows its jobs by state, and its last hours by minute, which survive a restart of any process.',
    params,
    data: QueueHistoryView,
    answer: examples.QUEUE_ANSWER,
    returns: 'The queue.',
  })
  async get(@Param('name') name: string, @Query() query: QueueQuery): Promise<Answer<QueueHistoryView>> {
    return answer(await this.queues.get(name, query), 'The queue was found.');
  }

  @Get(':name/jobs')
  @Endpoint({
    id: 'listJobs',
    scope: 'ops',
    summary: 'List the jobs of a queue',
    description:
      'Jobs of one state: the next to run first, failed ones newest first. Jobs move between two pages, so that a job may be listed twice or not at all.',
    params,
    entries: JobView,
    answer: examples.JOBS_ANSWER,
    returns: 'One page of jobs.',
  })
  async jobs(
    @CurrentAccount() accountId: string,
    @Param('name') name: string,
    @Query() query: JobQuery,
  ): Promise<ListAnswer<JobView>> {
    return listAnswer(await this.queues.listJobs(accountId, name, query), 'job');
  }

  @Post(':name/pause')
  @Endpoint({
    id: 'pauseQueue',
    scope: 'ops',
    summary: 'Pause a queue',
    description:
      'Workers take no more of its jobs, within a second; those in progress end. The queue of a lane also holds the messages of that lane. A wiped Redis forgets the pause.',
    params,
    data: QueueView,
    answer: examples.QUEUE_PAUSED,
    returns: 'The paused queue.',
  })
  async pause(@Param('name') name: string): Promise<Answer<QueueView>> {
    return answer(await this.queues.pause(name), 'The queue was paused.');
  }

  @Post(':name/resume')
  @Endpoint({
    id: 'resumeQueue',
    scope: 'ops',
    summary: 'Resume a queue',
    params,
    data: QueueView,
    answer: examples.QUEUE_RESUMED,
    returns: 'The queue.',
  })
  async resume(@Param('name') name: string): Promise<Answer<QueueView>> {
    return answer(await this.queues.resume(name), 'The queue was resumed.');
  }

  @Post(':name/drain')
  @Endpoint({
    id: 'drainQueue',
    scope: 'ops',
    summary: 'Remove the waiting jobs of a queue',
    description:
      'Loses nothing: rows whose job is gone get another within seconds. A call removes at most 200,000 jobs.',
    params,
    body: exampleBodies(DrainRequest, examples.DRAIN_BODIES),
    data: QueueActionView,
    answer: examples.QUEUE_DRAINED,
    returns: 'The number of removed jobs, and the queue.',
  })
  async drain(@Param('name') name: string, @Body() request: DrainRequest): Promise<Answer<QueueActionView>> {
    return acted(await this.queues.drain(name, request), 'removed');
  }

  @Post(':name/retry')
  @Endpoint({
    id: 'retryJobs',
    scope: 'ops',
    summary: 'Retry the failed jobs of a queue',
    description: 'Enqueues its failed jobs again. A job whose rows are done meanwhile does nothing.',
    params,
    body: exampleBodies(RetryJobsRequest, examples.RETRY_BODIES),
    data: QueueActionView,
    answer: examples.JOBS_RETRIED,
    returns: 'The number of enqueued jobs, and the queue.',
  })
  async retry(
    @Param('name') name: string,
    @Body() request: RetryJobsRequest,
  ): Promise<Answer<QueueActionView>> {
    return acted(await this.queues.retry(name, request), 'enqueued');
  }

  @Post(':name/clean')
  @Endpoint({
    id: 'cleanQueue',
    scope: 'ops',
    summary: 'Remove the jobs of one state',
    description: 'As a drain does, for the failed, delayed or waiting jobs.',
    params,
    body: exampleBodies(CleanRequest, examples.CLEAN_BODIES),
    data: QueueActionView,
    answer: examples.QUEUE_CLEANED,
    returns: 'The number of removed jobs, and the queue.',
  })
  async clean(@Param('name') name: string, @Body() request: CleanRequest): Promise<Answer<QueueActionView>> {
    return acted(await this.queues.clean(name, request), 'removed');
  }
}

function acted(outcome: QueueActionView, done: string): Answer<QueueActionView> {
  const { jobs, dryRun } = outcome;
  const verb = jobs === 1 ? 'was' : 'were';
  return answer(outcome, `${counted(jobs, 'job')} ${dryRun ? 'would be' : verb} ${done}.`);
}
