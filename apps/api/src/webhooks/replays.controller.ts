import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import * as examples from './deliveries.examples.ts';
import { ReplayRequest } from './delivery.dto.ts';
import { ReplayView } from './replay.view.ts';
import { ReplaysService } from './replays.service.ts';
import { WEBHOOK_ID } from './webhooks.examples.ts';

const WEBHOOK = { id: { example: WEBHOOK_ID } };
const REPLAY = { ...WEBHOOK, replayId: { example: examples.REPLAY_ID } };

@ApiTags('Webhooks')
@Controller('v1/webhooks/:id')
export class ReplaysController {
  constructor(private readonly replays: ReplaysService) {}

  @Post('replay')
  @Endpoint({
    id: 'replayDeliveries',
    cost: 50,
    scope: 'webhooks',
    summary: 'Replay the deliveries of a time range',
    description:
      'Replays exhausted deliveries, or those of other statuses, whose reports arrived in the range. With `dryRun` it only counts them, and the answer has status 200 and no id.',
    status: 201,
    idempotent: true,
    params: WEBHOOK,
    body: exampleBodies(ReplayRequest, examples.REPLAY_BODIES),
    data: ReplayView,
    answer: examples.REPLAY_STARTED_ANSWER,
    returns: 'The new replay.',
    dryRun: examples.REPLAY_COUNTED_ANSWER,
  })
  async replay(
    @CurrentCall() call: RepeatableCall,
    @Param('id') id: string,
    @Body() request: ReplayRequest,
  ): Promise<Answer<ReplayView>> {
    if (!request.dryRun)
      return answer(await this.replays.start({ ...call, request }, id), 'The replay was started.');
    call.reply.status(200);
    return answer(await this.replays.preview(call.accountId, id, request), 'Nothing was replayed.');
  }

  @Get('replays')
  @Endpoint({
    id: 'listReplays',
    scope: 'webhooks',
    summary: 'List the replays of a webhook',
    description: 'Newest first, each with its progress.',
    params: WEBHOOK,
    entries: ReplayView,
    answer: examples.REPLAYS_ANSWER,
    returns: 'One page of replays.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
    @Query() query: PageQuery,
  ): Promise<ListAnswer<ReplayView>> {
    return listAnswer(await this.replays.list(accountId, id, query), 'replay');
  }

  @Get('replays/:replayId')
  @Endpoint({
    id: 'getReplay',
    scope: 'webhooks',
    summary: 'Get the progress of a replay',
    params: REPLAY,
    data: ReplayView,
    answer: examples.REPLAY_ANSWER,
    returns: 'The replay.',
  })
  async get(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
    @Param('replayId') replayId: string,
  ): Promise<Answer<ReplayView>> {
    return answer(await this.replays.get(accountId, id, replayId), 'The replay was found.');
  }

  @Post('replays/:replayId/cancel')
  @Endpoint({
    id: 'cancelReplay',
    scope: 'webhooks',
    summary: 'Cancel a replay',
    description: 'Deliveries that it made due are still made. A finished replay keeps its status.',
    params: REPLAY,
    data: ReplayView,
    answer: examples.REPLAY_CANCELLED_ANSWER,
    returns: 'The replay.',
  })
  async cancel(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
    @Param('replayId') replayId: string,
  ): Promise<Answer<ReplayView>> {
    return answer(await this.replays.cancel(accountId, id, replayId), 'The replay has ended.');
  }
}
