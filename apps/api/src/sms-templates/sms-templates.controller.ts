import { Body, Controller, Delete, Get, Headers, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { FastifyReply } from 'fastify';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { IDEMPOTENCY_KEY, described, exampleBodies } from '../docs/described.ts';
import { type Answer, type ListAnswer, answer } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { SmsTemplateChangeRequest, SmsTemplateRequest } from './sms-template.dto.ts';
import type { SmsTemplateView } from './sms-template.view.ts';
import {
  SMS_TEMPLATES_ANSWER,
  SMS_TEMPLATE_ANSWER,
  SMS_TEMPLATE_BODIES,
  SMS_TEMPLATE_CHANGED,
  SMS_TEMPLATE_CHANGES,
  SMS_TEMPLATE_CREATED,
  SMS_TEMPLATE_DELETED,
  SMS_TEMPLATE_ID,
} from './sms-templates.examples.ts';
import { SmsTemplatesService } from './sms-templates.service.ts';

@ApiTags('SMS templates')
@Controller('v1/sms/templates')
export class SmsTemplatesController {
  constructor(private readonly templates: SmsTemplatesService) {}

  /** Keeps a text to send by its id. */
  @Post()
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'createSmsTemplate',
    summary: 'Create an SMS template',
    description:
      'Send it with `templateId` and `custom`, or have a `text` checked against it. Scope: `manage`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody(exampleBodies(SmsTemplateRequest, SMS_TEMPLATE_BODIES))
  @ApiResponse(described(201, 'Created', SMS_TEMPLATE_CREATED))
  async create(
    @CurrentAccount() caller: KeyHolder,
    @Body() request: SmsTemplateRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer<SmsTemplateView>> {
    return answer(
      await this.templates.create(caller.accountId, request, idempotencyKey, reply),
      'The template was created.',
    );
  }

  /** The account's templates, newest first. */
  @Get()
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'listSmsTemplates',
    summary: 'List SMS templates',
    description: 'Newest first. Scope: `manage`.',
  })
  @ApiResponse(described(200, 'A page', SMS_TEMPLATES_ANSWER))
  async list(
    @CurrentAccount() caller: KeyHolder,
    @Query() query: PageQuery,
  ): Promise<ListAnswer<SmsTemplateView>> {
    const { page, nextCursor } = await this.templates.list(caller.accountId, query);
    return { ...answer(page, page.length === 1 ? '1 template.' : `${page.length} templates.`), nextCursor };
  }

  /** One template. */
  @Get(':id')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'getSmsTemplate',
    summary: 'Get an SMS template',
    description: 'Scope: `manage`.',
  })
  @ApiParam({ name: 'id', example: SMS_TEMPLATE_ID })
  @ApiResponse(described(200, 'The template', SMS_TEMPLATE_ANSWER))
  async get(@CurrentAccount() caller: KeyHolder, @Param('id') id: string): Promise<Answer<SmsTemplateView>> {
    return answer(await this.templates.get(caller.accountId, id), 'The template was found.');
  }

  /** Changes what the body names of a template. */
  @Patch(':id')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'changeSmsTemplate',
    summary: 'Change an SMS template',
    description:
      'What the body leaves out stays as it is; null takes a sender, a type or a DLT id away. It counts for sends from a second later on; what was accepted before keeps its text. Scope: `manage`.',
  })
  @ApiParam({ name: 'id', example: SMS_TEMPLATE_ID })
  @ApiBody(exampleBodies(SmsTemplateChangeRequest, SMS_TEMPLATE_CHANGES))
  @ApiResponse(described(200, 'The template as it is now', SMS_TEMPLATE_CHANGED))
  async change(
    @CurrentAccount() caller: KeyHolder,
    @Param('id') id: string,
    @Body() change: SmsTemplateChangeRequest,
  ): Promise<Answer<SmsTemplateView>> {
    return answer(await this.templates.change(caller.accountId, id, change), 'The template was changed.');
  }

  /** Takes a template away. */
  @Delete(':id')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'deleteSmsTemplate',
    summary: 'Delete an SMS template',
    description: 'What was accepted with it is sent all the same. Scope: `manage`.',
  })
  @ApiParam({ name: 'id', example: SMS_TEMPLATE_ID })
  @ApiResponse(described(200, 'Deleted', SMS_TEMPLATE_DELETED))
  async delete(
    @CurrentAccount() caller: KeyHolder,
    @Param('id') id: string,
  ): Promise<Answer<{ id: string }>> {
    await this.templates.delete(caller.accountId, id);
    return answer({ id }, 'The template was deleted.');
  }
}
