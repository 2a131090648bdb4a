import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { WEBHOOK_ID } from '../docs/example-ids.ts';
import { dataOf, pageOf } from '../http/answer.ts';
import * as examples from './deliveries.examples.ts';
import { DeliveriesService } from './deliveries.service.ts';
import { DeliveriesQuery, HealthQuery } from './delivery.dto.ts';
import { DeliveryView } from './delivery.view.ts';
import { EndpointStatsView } from './endpoint-stats.view.ts';
import { WebhookHealthView } from './webhook-health.view.ts';
import { WebhookView } from './webhook.view.ts';

const WEBHOOK = { id: { example: WEBHOOK_ID } };
const DELIVERY = {
  id: {
    example: examples.DELIVERY_ID,
    description: 'The `webhook-id` header that the receiver got; of a batch, the `id` of the report',
  },
};

@Endpoints('Webhooks', { scope: 'webhooks', params: WEBHOOK })
@Controller('v1')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Get('webhooks/health')
  @Endpoint({
    cost: 5,
    summary: 'List the health of webhooks',
    description:
      'Shows the circuit breaker, the backlog, the last failure and the calls by hour of each webhook, newest webhook first. Calls of the last ten seconds may be missing. `nextCursor` is always null.',
    answer: pageOf(WebhookHealthView, examples.HEALTH, 'webhook'),
    returns: 'The health of each webhook.',
  })
  listWebhookHealth(@CurrentAccount() accountId: string, @Query() query: HealthQuery) {
    return this.deliveries.health(accountId, query);
  }

  @Get('webhooks/:id/deliveries')
  @Endpoint({
    cost: 5,
    summary: 'List the deliveries of a webhook',
    description:
      'Newest first, each with all its calls, their durations and their responses. A filtered page may hold fewer entries than its limit: continue until `nextCursor` is null.',
    answer: pageOf(DeliveryView, [examples.DELIVERY], 'delivery'),
  })
  listDeliveries(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
    @Query() query: DeliveriesQuery,
  ) {
    return this.deliveries.list(accountId, id, query);
  }

  @Get('webhooks/:id/stats')
  @Endpoint({
    cost: 20,
    summary: 'Get the health of an endpoint',
    description:
      'Shows the circuit breaker, the backlog, and the success rate and latency of the latest 1,000 attempted deliveries.',
    answer: dataOf(EndpointStatsView, examples.STATS, 'The webhook was found.'),
    returns: 'The health of the endpoint.',
  })
  getWebhookStats(@CurrentAccount() accountId: string, @Param('id') id: string) {
    return this.deliveries.stats(accountId, id);
  }

  @Post('webhooks/:id/disable')
  @Endpoint({
    summary: 'Disable a webhook',
    description:
      'No further call is made to its endpoint. New events are kept for up to 30 days and pushed once it is enabled. A webhook that is disabled already keeps its reason.',
    answer: dataOf(WebhookView, examples.DISABLED, 'The webhook is disabled.'),
  })
  disableWebhook(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.deliveries.disable(caller, id);
  }

  @Post('webhooks/:id/enable')
  @Endpoint({
    cost: 20, // as the stats that it returns
    summary: 'Enable a webhook',
    description:
      'Enables a webhook that was disabled for any reason, and closes its circuit breaker. Its pending deliveries become due, at its rate.',
    answer: dataOf(EndpointStatsView, examples.ENABLED, 'The webhook is enabled.'),
    returns: 'The health of the endpoint.',
  })
  enableWebhook(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.deliveries.enable(caller, id);
  }

  @Get('webhook-deliveries/:id')
  @Endpoint({
    summary: 'Get a delivery',
    description: 'Includes every call.',
    params: DELIVERY,
    answer: dataOf(DeliveryView, examples.DELIVERY, 'The delivery was found.'),
  })
  getDelivery(@CurrentAccount() accountId: string, @Param('id') id: string) {
    return this.deliveries.get(accountId, id);
  }

  @Post('webhook-deliveries/:id/replay')
  @Endpoint({
    summary: 'Replay a delivery',
    description:
      'Restarts the schedule of a finished delivery, under the same `webhook-id`. A pending delivery becomes due immediately. A delivery can be replayed 100 times.',
    params: DELIVERY,
    answer: dataOf(DeliveryView, examples.REPLAYED, 'The delivery is due again.'),
    returns: 'The delivery, now pending.',
  })
  replayDelivery(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.deliveries.replay(caller, id);
  }
}
