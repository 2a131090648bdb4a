import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, type ListAnswer, answer, counted, listAnswer } from '../http/answer.ts';
import * as examples from './deliveries.examples.ts';
import { DeliveriesService } from './deliveries.service.ts';
import { DeliveriesQuery, HealthQuery } from './delivery.dto.ts';
import { DeliveryView } from './delivery.view.ts';
import { EndpointStatsView } from './endpoint-stats.view.ts';
import { WebhookHealthView } from './webhook-health.view.ts';
import { WebhookView } from './webhook.view.ts';
import { WEBHOOK_ID } from './webhooks.examples.ts';

const WEBHOOK = { id: { example: WEBHOOK_ID } };
const DELIVERY = {
  id: {
    example: examples.DELIVERY_ID,
    description: 'The `webhook-id` header that the receiver got; of a batch, the `id` of the report',
  },
};

@ApiTags('Webhooks')
@Controller('v1')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Get('webhooks/health')
  @Endpoint({
    id: 'listWebhookHealth',
    scope: 'webhooks',
    cost: 5,
    summary: 'List the health of webhooks',
    description:
      'Shows the circuit breaker, the backlog, the last failure and the calls by hour of each webhook, newest webhook first. Calls of the last ten seconds may be missing. `nextCursor` is always null.',
    entries: WebhookHealthView,
    answer: examples.HEALTH_ANSWER,
    returns: 'The health of each webhook.',
  })
  async health(
    @CurrentAccount() accountId: string,
    @Query() query: HealthQuery,
  ): Promise<ListAnswer<WebhookHealthView>> {
    return listAnswer({ page: await this.deliveries.health(accountId, query), nextCursor: null }, 'webhook');
  }

  @Get('webhooks/:id/deliveries')
  @Endpoint({
    id: 'listDeliveries',
    scope: 'webhooks',
    cost: 5,
    summary: 'List the deliveries of a webhook',
    description:
      'Newest first, each with all its calls, their durations and their answers. A filtered page may hold fewer entries than its limit: continue until `nextCursor` is null.',
    params: WEBHOOK,
    entries: DeliveryView,
    answer: examples.DELIVERIES_ANSWER,
    returns: 'One page of deliveries.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
    @Query() query: DeliveriesQuery,
  ): Promise<ListAnswer<DeliveryView>> {
    const { page, nextCursor } = await this.deliveries.list(accountId, id, query);
    return { ...answer(page, `${counted(page.length, 'delivery', 'deliveries')}.`), nextCursor };
  }

  @Get('webhooks/:id/stats')
  @Endpoint({
    id: 'getWebhookStats',
    scope: 'webhooks',
    cost: 20,
    summary: 'Get the health of an endpoint',
    description:
      'Shows the circuit breaker, the backlog, and the success rate and latency of the latest 1,000 attempted deliveries.',
    params: WEBHOOK,
    data: EndpointStatsView,
    answer: examples.STATS_ANSWER,
    returns: 'The health of the endpoint.',
  })
  async stats(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
  ): Promise<Answer<EndpointStatsView>> {
    return answer(await this.deliveries.stats(accountId, id), 'The webhook was found.');
  }

  @Post('webhooks/:id/disable')
  @Endpoint({
    id: 'disableWebhook',
    scope: 'webhooks',
    summary: 'Disable a webhook',
    description:
      'No further call is made to its endpoint. New events are kept for up to 30 days and pushed once it is enabled. A webhook that is disabled already keeps its reason.',
    params: WEBHOOK,
    data: WebhookView,
    answer: examples.DISABLED_ANSWER,
    returns: 'The webhook.',
  })
  async disable(@CurrentAccount() accountId: string, @Param('id') id: string): Promise<Answer<WebhookView>> {
    return answer(await this.deliveries.disable(accountId, id), 'The webhook is disabled.');
  }

  @Post('webhooks/:id/enable')
  @Endpoint({
    id: 'enableWebhook',
    scope: 'webhooks',
    summary: 'Enable a webhook',
    description:
      'Enables a webhook that was disabled for any reason, and closes its circuit breaker. Its pending deliveries become due, at its rate.',
    params: WEBHOOK,
    data: EndpointStatsView,
    answer: examples.ENABLED_ANSWER,
    returns: 'The health of the endpoint.',
  })
  async enable(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
  ): Promise<Answer<EndpointStatsView>> {
    return answer(await this.deliveries.enable(accountId, id), 'The webhook is enabled.');
  }

  @Get('webhook-deliveries/:id')
  @Endpoint({
    id: 'getDelivery',
    scope: 'webhooks',
    summary: 'Get a delivery',
    description: 'Includes every call.',
    params: DELIVERY,
    data: DeliveryView,
    answer: examples.DELIVERY_ANSWER,
    returns: 'The delivery.',
  })
  async get(@CurrentAccount() accountId: string, @Param('id') id: string): Promise<Answer<DeliveryView>> {
    return answer(await this.deliveries.get(accountId, id), 'The delivery was found.');
  }

  @Post('webhook-deliveries/:id/replay')
  @Endpoint({
    id: 'replayDelivery',
    scope: 'webhooks',
    summary: 'Replay a delivery',
    description:
      'Restarts the schedule of a finished delivery, under the same `webhook-id`. A pending delivery becomes due immediately. A delivery can be replayed 100 times.',
    params: DELIVERY,
    data: DeliveryView,
    answer: examples.REPLAYED_ANSWER,
    returns: 'The delivery, now pending.',
  })
  async replay(@CurrentAccount() accountId: string, @Param('id') id: string): Promise<Answer<DeliveryView>> {
    return answer(await this.deliveries.replay(accountId, id), 'The delivery is due again.');
  }
}
