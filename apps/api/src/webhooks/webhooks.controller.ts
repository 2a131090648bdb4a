import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, DELETED, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { WebhookChange, WebhookRequest } from './webhook.dto.ts';
import { WebhookView } from './webhook.view.ts';
import * as examples from './webhooks.examples.ts';
import { WebhooksService } from './webhooks.service.ts';

const params = { id: { example: examples.WEBHOOK_ID } };

@ApiTags('Webhooks')
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Post()
  @Endpoint({
    id: 'createWebhook',
    scope: 'webhooks',
    summary: 'Create a webhook',
    description:
      'Pushes every final delivery report to the endpoint, signed after Standard Webhooks with the secret in this answer. A failed push is retried for three days. An account may have 50 webhooks.',
    status: 201,
    idempotent: true,
    body: exampleBodies(WebhookRequest, examples.WEBHOOK_BODIES),
    data: WebhookView,
    answer: examples.CREATED_ANSWER,
    returns: 'The new webhook. Only this answer shows its secret.',
  })
  async create(
    @CurrentCall() call: RepeatableCall,
    @Body() request: WebhookRequest,
  ): Promise<Answer<WebhookView>> {
    const created = await this.webhooks.create({ ...call, request });
    return answer(created, 'The webhook was created. Keep the secret: it is not shown again.');
  }

  @Get()
  @Endpoint({
    id: 'listWebhooks',
    scope: 'webhooks',
    summary: 'List webhooks',
    description: 'Newest first.',
    entries: WebhookView,
    answer: examples.WEBHOOKS_ANSWER,
    returns: 'One page of webhooks.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Query() query: PageQuery,
  ): Promise<ListAnswer<WebhookView>> {
    return listAnswer(await this.webhooks.list(accountId, query), 'webhook');
  }

  @Get(':id')
  @Endpoint({
    id: 'getWebhook',
    scope: 'webhooks',
    summary: 'Get a webhook',
    params,
    data: WebhookView,
    answer: examples.WEBHOOK_ANSWER,
    returns: 'The webhook.',
  })
  async get(@CurrentAccount() accountId: string, @Param('id') id: string): Promise<Answer<WebhookView>> {
    return answer(await this.webhooks.get(accountId, id), 'The webhook was found.');
  }

  @Patch(':id')
  @Endpoint({
    id: 'changeWebhook',
    scope: 'webhooks',
    summary: 'Change a webhook',
    description:
      'Fields that the body omits keep their values; a given list, or `filters`, replaces the whole one. The change applies to every later push.',
    params,
    body: exampleBodies(WebhookChange, examples.CHANGE_BODIES),
    data: WebhookView,
    answer: examples.CHANGED_ANSWER,
    returns: 'The changed webhook.',
  })
  async change(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
    @Body() change: WebhookChange,
  ): Promise<Answer<WebhookView>> {
    return answer(await this.webhooks.change(accountId, id, change), 'The webhook was changed.');
  }

  @Post(':id/rotate-secret')
  @Endpoint({
    id: 'rotateWebhookSecret',
    scope: 'webhooks',
    summary: 'Replace the signing secret of a webhook',
    description:
      'For 24 hours, every push carries a signature by the new secret and one by the old secret. Send an `Idempotency-Key` to be able to repeat the request when its answer is lost.',
    idempotent: true,
    params,
    data: WebhookView,
    answer: examples.ROTATED_ANSWER,
    returns: 'The webhook. Only this answer shows its new secret.',
  })
  async rotateSecret(
    @CurrentCall() call: RepeatableCall,
    @Param('id') id: string,
  ): Promise<Answer<WebhookView>> {
    const rotated = await this.webhooks.rotateSecret({ ...call, request: {} }, id);
    return answer(rotated, 'The secret was replaced. Keep the new one: it is not shown again.');
  }

  @Delete(':id')
  @Endpoint({
    id: 'deleteWebhook',
    scope: 'webhooks',
    summary: 'Delete a webhook',
    description: 'Drops its pending pushes and erases its secrets.',
    params,
    data: DELETED,
    answer: examples.DELETED_ANSWER,
    returns: 'The id of the deleted webhook.',
  })
  async delete(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
  ): Promise<Answer<{ id: string }>> {
    return answer(await this.webhooks.delete(accountId, id), 'The webhook was deleted.');
  }
}
