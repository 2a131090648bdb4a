import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { WEBHOOK_ID } from '../docs/example-ids.ts';
import { dataOf, pageOf } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import * as examples from './deliveries.examples.ts';
import { ReplayRequest } from './delivery.dto.ts';
import { ReplayView } from './replay.view.ts';
import { ReplaysService } from './replays.service.ts';

const WEBHOOK = { id: { example: WEBHOOK_ID } };
const REPLAY = { ...WEBHOOK, replayId: { example: examples.REPLAY_ID } };

@Endpoints('Webhooks', { scope: 'webhooks', params: REPLAY })
@Controller('v1/webhooks/:id')
export class ReplaysController {
  constructor(private readonly replays: ReplaysService) {}

  @Post('replay')
  @Endpoint({
    cost: 50,
    summary: 'Replay the deliveries of a time range',
    description:
      'Replays exhausted deliveries, or those of other statuses, whose reports arrived in the range. With `dryRun` it only counts them, and the response has status 200 and no id.',
    status: 201,
    idempotent: true,
    body: examples.REPLAY_BODIES,
    answer: dataOf(ReplayView, examples.REPLAY_STARTED, ({ id }) =>
      id === null ? 'Nothing was replayed.' : 'The replay was started.',
    ),
    returns: 'The new replay.',
    dryRun: examples.REPLAY_COUNTED,
  })
  replayDeliveries(
    @CurrentCall() call: RepeatableCall,
    @Param('id') id: string,
    @Body() request: ReplayRequest,
  ) {
    if (!request.dryRun) return this.replays.start({ ...call, request }, id);
    call.reply.status(200);
    return this.replays.preview(call.accountId, id, request);
  }

  @Get('replays')
  @Endpoint({
    summary: 'List the replays of a webhook',
    description: 'Newest first, each with its progress.',
    answer: pageOf(ReplayView, [examples.REPLAY], 'replay'),
  })
  listReplays(@CurrentAccount() accountId: string, @Param('id') id: string, @Query() query: PageQuery) {
    return this.replays.list(accountId, id, query);
  }

  @Get('replays/:replayId')
  @Endpoint({
    summary: 'Get the progress of a replay',
    answer: dataOf(ReplayView, examples.REPLAY, 'The replay was found.'),
  })
  getReplay(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
    @Param('replayId') replayId: string,
  ) {
    return this.replays.get(accountId, id, replayId);
  }

  @Post('replays/:replayId/cancel')
  @Endpoint({
    summary: 'Cancel a replay',
    description: 'Deliveries that it made due are still made. A finished replay keeps its status.',
    answer: dataOf(ReplayView, examples.REPLAY_CANCELLED, 'The replay has ended.'),
  })
  cancelReplay(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('replayId') replayId: string,
  ) {
    return this.replays.cancel(caller, id, replayId);
  }
}
