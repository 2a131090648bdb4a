import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { described } from '../docs/described.ts';
import { type Answer, type ListAnswer, answer } from '../http/answer.ts';
import { WEBHOOK_ID } from './webhooks.examples.ts';
import * as examples from './deliveries.examples.ts';
import { DeliveriesService } from './deliveries.service.ts';
import { DeliveriesQuery } from './delivery.dto.ts';
import type { DeliveryView } from './delivery.view.ts';
import type { EndpointStatsView } from './endpoint-stats.view.ts';

const WEBHOOK = { name: 'id', example: WEBHOOK_ID };
const DELIVERY = {
  name: 'id',
  example: examples.DELIVERY_ID,
  description: 'The `webhook-id` that the receiver sees',
};

@ApiTags('Webhooks')
@Controller('v1')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  /** What was pushed to a webhook, call by call. */
  @Get('webhooks/:id/deliveries')
  @RequiresScope('webhooks')
  @ApiOperation({
    operationId: 'listDeliveries',
    summary: 'List what was pushed to a webhook',
    description:
      'Newest first, with every call: when, how long each step took, what was answered. With a filter a page may hold less than its limit; go on while `nextCursor` is not null. Scope: `webhooks`.',
  })
  @ApiParam(WEBHOOK)
  @ApiResponse(described(200, 'A page', examples.DELIVERIES_ANSWER))
  async list(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
    @Query() query: DeliveriesQuery,
  ): Promise<ListAnswer<DeliveryView>> {
    const { page, nextCursor } = await this.deliveries.list(accountId, id, query);
    return { ...answer(page, page.length === 1 ? '1 delivery.' : `${page.length} deliveries.`), nextCursor };
  }

  /** How a webhook's end point does. */
  @Get('webhooks/:id/stats')
  @RequiresScope('webhooks')
  @ApiOperation({
    operationId: 'getWebhookStats',
    summary: 'See how an end point does',
    description:
      'Its breaker, its backlog, and its success rate and speed over the latest 1,000 deliveries that were tried. Scope: `webhooks`.',
  })
  @ApiParam(WEBHOOK)
  @ApiResponse(described(200, 'How it does', examples.STATS_ANSWER))
  async stats(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
  ): Promise<Answer<EndpointStatsView>> {
    return answer(await this.deliveries.stats(accountId, id), 'The webhook was found.');
  }

  /** Puts a webhook on that was disabled. */
  @Post('webhooks/:id/enable')
  @HttpCode(200)
  @RequiresScope('webhooks')
  @ApiOperation({
    operationId: 'enableWebhook',
    summary: 'Enable a webhook',
    description:
      'Whatever disabled it. Its breaker is closed, and what waits for it is due, at its rate. Scope: `webhooks`.',
  })
  @ApiParam(WEBHOOK)
  @ApiResponse(described(200, 'Enabled', examples.ENABLED_ANSWER))
  async enable(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
  ): Promise<Answer<EndpointStatsView>> {
    return answer(await this.deliveries.enable(accountId, id), 'The webhook is enabled.');
  }

  /** One delivery. */
  @Get('webhook-deliveries/:id')
  @RequiresScope('webhooks')
  @ApiOperation({
    operationId: 'getDelivery',
    summary: 'Get a delivery',
    description: 'With every call. Scope: `webhooks`.',
  })
  @ApiParam(DELIVERY)
  @ApiResponse(described(200, 'The delivery', examples.DELIVERY_ANSWER))
  async get(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
  ): Promise<Answer<DeliveryView>> {
    return answer(await this.deliveries.get(accountId, id), 'The delivery was found.');
  }

  /** Has one delivery made again. */
  @Post('webhook-deliveries/:id/replay')
  @HttpCode(200)
  @RequiresScope('webhooks')
  @ApiOperation({
    operationId: 'replayDelivery',
    summary: 'Make a delivery again',
    description:
      'Under the same `webhook-id`, with a new schedule; one that waits is made at once. Scope: `webhooks`.',
  })
  @ApiParam(DELIVERY)
  @ApiResponse(described(200, 'The delivery, which waits for its call', examples.REPLAYED_ANSWER))
  async replay(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
  ): Promise<Answer<DeliveryView>> {
    return answer(await this.deliveries.replay(accountId, id), 'The delivery is made again.');
  }
}
