import { Body, Controller, Get, Headers, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { FastifyReply } from 'fastify';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { IDEMPOTENCY_KEY, described, exampleBodies } from '../docs/described.ts';
import { type Answer, answer } from '../http/answer.ts';
import { WEBHOOK_ID } from './webhooks.examples.ts';
import * as examples from './deliveries.examples.ts';
import { ReplaysService } from './replays.service.ts';
import { ReplayRequest } from './delivery.dto.ts';
import type { ReplayView } from './replay.view.ts';

const WEBHOOK = { name: 'id', example: WEBHOOK_ID };
const REPLAY = { name: 'replayId', example: examples.REPLAY_ID };

@ApiTags('Webhooks')
@Controller('v1/webhooks/:id')
export class ReplaysController {
  constructor(private readonly replays: ReplaysService) {}

  /** Has deliveries of a time made again, or counts them. */
  @Post('replay')
  @RequiresScope('webhooks')
  @ApiOperation({
    operationId: 'replayDeliveries',
    summary: 'Make deliveries again',
    description:
      'Those that were given up, or of other statuses, whose reports came in a time. With `dryRun` they are only counted, and the answer has no id. Scope: `webhooks`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiParam(WEBHOOK)
  @ApiBody(exampleBodies(ReplayRequest, examples.REPLAY_BODIES))
  @ApiResponse(described(201, 'Begun', examples.REPLAY_STARTED_ANSWER))
  async replay(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
    @Body() request: ReplayRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer<ReplayView>> {
    if (request.dryRun) {
      reply.status(200);
      return answer(await this.replays.preview(accountId, id, request), 'Nothing was replayed.');
    }
    const call = { accountId, path: `/v1/webhooks/${id}/replay`, request, idempotencyKey, reply };
    return answer(await this.replays.start(call, id, request), 'The replay has begun.');
  }

  /** How far a replay is. */
  @Get('replays/:replayId')
  @RequiresScope('webhooks')
  @ApiOperation({
    operationId: 'getReplay',
    summary: 'See how far a replay is',
    description: 'Scope: `webhooks`.',
  })
  @ApiParam(WEBHOOK)
  @ApiParam(REPLAY)
  @ApiResponse(described(200, 'The replay', examples.REPLAY_ANSWER))
  async get(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
    @Param('replayId') replayId: string,
  ): Promise<Answer<ReplayView>> {
    return answer(await this.replays.get(accountId, id, replayId), 'The replay was found.');
  }

  /** Ends a replay early. */
  @Post('replays/:replayId/cancel')
  @HttpCode(200)
  @RequiresScope('webhooks')
  @ApiOperation({
    operationId: 'cancelReplay',
    summary: 'Cancel a replay',
    description:
      'What it has set waiting already is made. One that has ended stays as it is. Scope: `webhooks`.',
  })
  @ApiParam(WEBHOOK)
  @ApiParam(REPLAY)
  @ApiResponse(described(200, 'The replay', examples.REPLAY_CANCELLED_ANSWER))
  async cancel(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
    @Param('replayId') replayId: string,
  ): Promise<Answer<ReplayView>> {
    return answer(await this.replays.cancel(accountId, id, replayId), 'The replay has ended.');
  }
}
