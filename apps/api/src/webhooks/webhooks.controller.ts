import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Patch,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { FastifyReply } from 'fastify';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { IDEMPOTENCY_KEY, described, exampleBodies } from '../docs/described.ts';
import { type Answer, type ListAnswer, answer } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { WebhookChange, WebhookRequest } from './webhook.dto.ts';
import type { WebhookView } from './webhook.view.ts';
import {
  CHANGED_ANSWER,
  CHANGE_BODIES,
  CREATED_ANSWER,
  DELETED_ANSWER,
  ROTATED_ANSWER,
  WEBHOOKS_ANSWER,
  WEBHOOK_ANSWER,
  WEBHOOK_BODIES,
  WEBHOOK_ID,
} from './webhooks.examples.ts';
import { WebhooksService } from './webhooks.service.ts';

@ApiTags('Webhooks')
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  /** Configures a push of SMS delivery reports (spec 2.7). The answer shows the signing secret, once. */
  @Post()
  @RequiresScope('webhooks')
  @ApiOperation({
    operationId: 'createWebhook',
    summary: 'Configure a delivery-report push',
    description:
      'Every delivered or failed SMS is pushed there, signed by Standard Webhooks with the secret of this answer, and again until a 2xx comes, for three days. Scope: `webhooks`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody(exampleBodies(WebhookRequest, WEBHOOK_BODIES))
  @ApiResponse(described(201, 'Created. The secret is shown here only.', CREATED_ANSWER))
  async create(
    @CurrentAccount() caller: KeyHolder,
    @Body() request: WebhookRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer<WebhookView>> {
    const call = { accountId: caller.accountId, path: '/v1/webhooks', request, idempotencyKey, reply };
    const created = await this.webhooks.create(call, request);
    return answer(created, 'The webhook was created. Keep the secret: it is not shown again.');
  }

  /** The account's configurations, newest first. */
  @Get()
  @RequiresScope('webhooks')
  @ApiOperation({
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description: 'Newest first. Scope: `webhooks`.',
  })
  @ApiResponse(described(200, 'A page', WEBHOOKS_ANSWER))
  async list(
    @CurrentAccount() caller: KeyHolder,
    @Query() query: PageQuery,
  ): Promise<ListAnswer<WebhookView>> {
    const { page, nextCursor } = await this.webhooks.list(caller.accountId, query);
    return { ...answer(page, page.length === 1 ? '1 webhook.' : `${page.length} webhooks.`), nextCursor };
  }

  /** One configuration. */
  @Get(':id')
  @RequiresScope('webhooks')
  @ApiOperation({ operationId: 'getWebhook', summary: 'Get a webhook', description: 'Scope: `webhooks`.' })
  @ApiParam({ name: 'id', example: WEBHOOK_ID })
  @ApiResponse(described(200, 'The webhook', WEBHOOK_ANSWER))
  async get(@CurrentAccount() caller: KeyHolder, @Param('id') id: string): Promise<Answer<WebhookView>> {
    return answer(await this.webhooks.get(caller.accountId, id), 'The webhook was found.');
  }

  /** Changes what the body names of a configuration. */
  @Patch(':id')
  @RequiresScope('webhooks')
  @ApiOperation({
    operationId: 'changeWebhook',
    summary: 'Change a webhook',
    description:
      'What the body leaves out stays as it is; lists and `filters` are replaced as a whole. It counts for every push from then on. Scope: `webhooks`.',
  })
  @ApiParam({ name: 'id', example: WEBHOOK_ID })
  @ApiBody(exampleBodies(WebhookChange, CHANGE_BODIES))
  @ApiResponse(described(200, 'The webhook as it is now', CHANGED_ANSWER))
  async change(
    @CurrentAccount() caller: KeyHolder,
    @Param('id') id: string,
    @Body() change: WebhookChange,
  ): Promise<Answer<WebhookView>> {
    return answer(await this.webhooks.change(caller.accountId, id, change), 'The webhook was changed.');
  }

  /** Replaces the signing secret. The answer shows the new one, once. */
  @Post(':id/rotate-secret')
  @HttpCode(200)
  @RequiresScope('webhooks')
  @ApiOperation({
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the signing secret of a webhook',
    description:
      'For 24 hours every push carries two signatures, one of each secret, so that a receiver that knows either accepts it. Send an `Idempotency-Key`, so that a lost answer can be asked for again. Scope: `webhooks`.',
  })
  @ApiParam({ name: 'id', example: WEBHOOK_ID })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiResponse(described(200, 'The webhook with its new secret, which is shown here only.', ROTATED_ANSWER))
  async rotateSecret(
    @CurrentAccount() caller: KeyHolder,
    @Param('id') id: string,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer<WebhookView>> {
    const path = `/v1/webhooks/${id}/rotate-secret`;
    const rotated = await this.webhooks.rotateSecret(
      { accountId: caller.accountId, path, request: {}, idempotencyKey, reply },
      id,
    );
    return answer(rotated, 'The secret was replaced. Keep the new one: it is not shown again.');
  }

  /** Takes a configuration away. */
  @Delete(':id')
  @RequiresScope('webhooks')
  @ApiOperation({
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description:
      'Nothing is pushed to it any more, not even what waits; its secret is wiped. Scope: `webhooks`.',
  })
  @ApiParam({ name: 'id', example: WEBHOOK_ID })
  @ApiResponse(described(200, 'Deleted', DELETED_ANSWER))
  async delete(
    @CurrentAccount() caller: KeyHolder,
    @Param('id') id: string,
  ): Promise<Answer<{ id: string }>> {
    await this.webhooks.delete(caller.accountId, id);
    return answer({ id }, 'The webhook was deleted.');
  }
}
