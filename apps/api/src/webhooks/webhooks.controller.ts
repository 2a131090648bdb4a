import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { WEBHOOK_ID } from '../docs/example-ids.ts';
import { DELETED, dataOf, pageOf } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { WebhookChange, WebhookRequest } from './webhook.dto.ts';
import { WebhookView } from './webhook.view.ts';
import * as examples from './webhooks.examples.ts';
import { WebhooksService } from './webhooks.service.ts';

@Endpoints('Webhooks', { scope: 'webhooks', params: { id: { example: WEBHOOK_ID } } })
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Post()
  @Endpoint({
    summary: 'Create a webhook',
    description:
      'Pushes every final delivery report to the endpoint, signed after Standard Webhooks with the secret in this response. A failed push is retried for three days. An account may have 50 webhooks.',
    status: 201,
    idempotent: true,
    body: examples.WEBHOOK_BODIES,
    answer: dataOf(
      WebhookView,
      examples.CREATED,
      'The webhook was created. Keep the secret: it is not shown again.',
    ),
    returns: 'The new webhook. Only this response shows its secret.',
  })
  createWebhook(@CurrentCall() call: RepeatableCall, @Body() request: WebhookRequest) {
    return this.webhooks.create({ ...call, request });
  }

  @Get()
  @Endpoint({
    summary: 'List webhooks',
    description: 'Newest first.',
    answer: pageOf(WebhookView, [examples.WEBHOOK], 'webhook'),
  })
  listWebhooks(@CurrentAccount() accountId: string, @Query() query: PageQuery) {
    return this.webhooks.list(accountId, query);
  }

  @Get(':id')
  @Endpoint({
    summary: 'Get a webhook',
    answer: dataOf(WebhookView, examples.WEBHOOK, 'The webhook was found.'),
  })
  getWebhook(@CurrentAccount() accountId: string, @Param('id') id: string) {
    return this.webhooks.get(accountId, id);
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Change a webhook',
    description:
      'Fields that the body omits keep their values; a given list, or `filters`, replaces the whole one. The change applies to every later push. `enabled` disables and enables the webhook, as `/disable` and `/enable` do.',
    body: examples.CHANGE_BODIES,
    answer: dataOf(WebhookView, examples.WEBHOOK, 'The webhook was changed.'),
  })
  changeWebhook(@CurrentCaller() caller: Caller, @Param('id') id: string, @Body() change: WebhookChange) {
    return this.webhooks.change(caller, id, change);
  }

  @Post(':id/rotate-secret')
  @Endpoint({
    summary: 'Replace the signing secret of a webhook',
    description:
      'For 24 hours, every push carries a signature by the new secret and one by the old secret. Send an `Idempotency-Key` to be able to repeat the request when its response is lost.',
    idempotent: true,
    answer: dataOf(
      WebhookView,
      examples.ROTATED,
      'The secret was replaced. Keep the new one: it is not shown again.',
    ),
    returns: 'The webhook. Only this response shows its new secret.',
  })
  rotateWebhookSecret(@CurrentCall() call: RepeatableCall, @Param('id') id: string) {
    return this.webhooks.rotateSecret({ ...call, request: {} }, id);
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Delete a webhook',
    description: 'Drops its pending pushes and erases its secrets.',
    answer: dataOf(DELETED, { id: WEBHOOK_ID }, 'The webhook was deleted.'),
  })
  deleteWebhook(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.webhooks.delete(caller, id);
  }
}
