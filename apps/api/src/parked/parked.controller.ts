import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { CurrentAccount, CurrentCaller, actorOf } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, type ListAnswer, answer, counted, listAnswer } from '../http/answer.ts';
import { DiscardRequest, FreeRequest, ParkedQuery } from './parked.dto.ts';
import * as examples from './parked.examples.ts';
import { ParkedService } from './parked.service.ts';
import { ParkedActionView, ParkedCountsView, ParkedRowView } from './parked.view.ts';

@ApiTags('Operations')
@Controller('v1/parked')
export class ParkedController {
  constructor(private readonly parked: ParkedService) {}

  @Get()
  @Endpoint({
    id: 'listParked',
    scope: 'ops',
    summary: 'List parked rows',
    description:
      'Rows of one kind that were started ten times without an outcome, the oldest first; at most 10,000.',
    entries: ParkedRowView,
    answer: examples.PARKED_ANSWER,
    returns: 'One page of parked rows.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Query() query: ParkedQuery,
  ): Promise<ListAnswer<ParkedRowView>> {
    return listAnswer(await this.parked.list(accountId, query), 'parked row');
  }

  @Get('counts')
  @Endpoint({
    id: 'countParked',
    scope: 'ops',
    summary: 'Count parked rows',
    data: ParkedCountsView,
    answer: examples.COUNTS_ANSWER,
    returns: 'The number of parked rows of each kind.',
  })
  async count(): Promise<Answer<ParkedCountsView>> {
    const counts = await this.parked.count();
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return answer(counts, `${counted(total, 'row is', 'rows are')} parked.`);
  }

  @Post('free')
  @Endpoint({
    id: 'freeParked',
    scope: 'ops',
    summary: 'Free parked rows',
    description:
      'Workers start them again within seconds. Find the cause first: a row that fails ten more times is parked again. A call frees at most 10,000 rows.',
    body: exampleBodies(FreeRequest, examples.FREE_BODIES),
    data: ParkedActionView,
    answer: examples.FREED,
    returns: 'The number of freed rows.',
  })
  async free(@Body() request: FreeRequest): Promise<Answer<ParkedActionView>> {
    return acted(await this.parked.free(request), 'freed');
  }

  @Post('discard')
  @Endpoint({
    id: 'discardParked',
    scope: 'ops',
    summary: 'Discard parked rows',
    description:
      'Ends them permanently. A message fails with errCode `902`, and its report is pushed; a report and a callback are never applied; a template is rejected with the reason; a verification expires. A call discards at most 10,000 rows.',
    body: exampleBodies(DiscardRequest, examples.DISCARD_BODIES),
    data: ParkedActionView,
    answer: examples.DISCARDED,
    returns: 'The number of discarded rows.',
  })
  async discard(
    @CurrentCaller() holder: KeyHolder,
    @Body() request: DiscardRequest,
  ): Promise<Answer<ParkedActionView>> {
    return acted(await this.parked.discard(request, actorOf(holder)), 'discarded');
  }
}

function acted(outcome: ParkedActionView, done: string): Answer<ParkedActionView> {
  const { rows, dryRun } = outcome;
  const verb = rows === 1 ? 'was' : 'were';
  return answer(outcome, `${counted(rows, 'row')} ${dryRun ? 'would be' : verb} ${done}.`);
}
