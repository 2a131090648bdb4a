import { Body, Controller, Get, Headers, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/api-keys';
import type { FastifyReply } from 'fastify';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { type Answer, type ListAnswer, answer } from '../http/answer.ts';
import { PageQuery, WebhookRequest } from './webhook.dto.ts';
import type { WebhookView } from './webhook.view.ts';
import { WebhooksService } from './webhooks.service.ts';

@ApiTags('Webhooks')
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  /** Configures a push of SMS delivery reports (spec 2.7). The answer shows the signing secret, once. */
  @Post()
  @RequiresScope('webhooks')
  @ApiOperation({ summary: 'Configure a delivery-report push' })
  async create(
    @CurrentAccount() caller: KeyHolder,
    @Body() request: WebhookRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer<WebhookView>> {
    const created = await this.webhooks.create(caller.accountId, request, idempotencyKey, reply);
    return answer(created, 'The webhook was created. Keep the secret: it is not shown again.');
  }

  /** The account's configurations, newest first. */
  @Get()
  @RequiresScope('webhooks')
  @ApiOperation({ summary: 'List webhooks' })
  async list(@CurrentAccount() caller: KeyHolder, @Query() query: PageQuery): Promise<ListAnswer<WebhookView>> {
    const { page, nextCursor } = await this.webhooks.list(caller.accountId, query);
    return { ...answer(page, `${page.length} webhooks.`), nextCursor };
  }

  /** One configuration. */
  @Get(':id')
  @RequiresScope('webhooks')
  @ApiOperation({ summary: 'Get a webhook' })
  async get(@CurrentAccount() caller: KeyHolder, @Param('id') id: string): Promise<Answer<WebhookView>> {
    return answer(await this.webhooks.get(caller.accountId, id), 'The webhook was found.');
  }
}
