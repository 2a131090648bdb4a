import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { counted, dataOf, pageOf } from '../http/answer.ts';
import { DiscardRequest, FreeRequest, ParkedQuery } from './parked.dto.ts';
import * as examples from './parked.examples.ts';
import { ParkedService } from './parked.service.ts';
import { ParkedActionView, ParkedCountsView, ParkedRowView } from './parked.view.ts';

@Endpoints('Operations', { scope: 'ops' })
@Controller('v1/parked')
export class ParkedController {
  constructor(private readonly parked: ParkedService) {}

  @Get()
  @Endpoint({
    summary: 'List parked rows',
    description:
      'Rows of one kind that were started ten times without an outcome, or, of the kind `submission`, sends that cannot be fanned out. The oldest first; at most 10,000.',
    answer: pageOf(ParkedRowView, examples.PARKED, 'parked row'),
  })
  listParked(@CurrentAccount() accountId: string, @Query() query: ParkedQuery) {
    return this.parked.list(accountId, query);
  }

  @Get('counts')
  @Endpoint({
    summary: 'Count parked rows',
    answer: dataOf(
      ParkedCountsView,
      examples.COUNTS,
      (counts) => `${counted(sum(Object.values(counts)), 'row is', 'rows are')} parked.`,
    ),
    returns: 'The number of parked rows of each kind.',
  })
  countParked() {
    return this.parked.count();
  }

  @Post('free')
  @Endpoint({
    summary: 'Free parked rows',
    description:
      'Workers start them again within seconds. Find the cause first: a row that fails ten more times is parked again. A call frees at most 10,000 rows.',
    body: examples.FREE_BODIES,
    answer: dataOf(ParkedActionView, examples.FREED, acted('freed')),
    returns: 'The number of freed rows.',
  })
  freeParked(@CurrentCaller() caller: Caller, @Body() request: FreeRequest) {
    return this.parked.free(caller, request);
  }

  @Post('discard')
  @Endpoint({
    summary: 'Discard parked rows',
    description:
      'Ends them permanently. A message fails with errCode `902`, and its report is pushed; a submission makes no further messages, and those that wait for the end of quiet hours fail; a report and a callback are never applied; a template is rejected with the reason; a verification expires. A call discards at most 10,000 rows.',
    body: examples.DISCARD_BODIES,
    answer: dataOf(ParkedActionView, examples.DISCARDED, acted('discarded')),
    returns: 'The number of discarded rows.',
  })
  discardParked(@CurrentCaller() caller: Caller, @Body() request: DiscardRequest) {
    return this.parked.discard(caller, request);
  }
}

function sum(counts: number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Makes the message that counts the rows of an action. */
function acted(done: string): (outcome: ParkedActionView) => string {
  return ({ rows, dryRun }) => {
    const verb = rows === 1 ? 'was' : 'were';
    return `${counted(rows, 'row')} ${dryRun ? 'would be' : verb} ${done}.`;
  };
}
