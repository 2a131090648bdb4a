import { Body, Controller, Get, Headers, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiExcludeEndpoint, ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { FastifyReply } from 'fastify';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { IDEMPOTENCY_KEY, described, exampleBodies } from '../docs/described.ts';
import { type Answer, type ListAnswer, answer } from '../http/answer.ts';
import {
  CreateTemplateRequest,
  EditTemplateRequest,
  ReviewTemplateRequest,
  TemplateHistoryQuery,
  TemplateIdRequest,
  TemplateListQuery,
} from './template.dto.ts';
import type { CreatedTemplates, TemplateEventView, TemplateView } from './template.view.ts';
import * as examples from './templates.examples.ts';
import { TemplatesService } from './templates.service.ts';

const CREATE_PATH = '/v1/chatapp/createChatTemplate';

/** The reads answer GET with a query and POST with a body alike (decisions, Common rules). */
@ApiTags('Chat-app templates')
@Controller('v1/chatapp')
export class TemplatesController {
  constructor(private readonly templates: TemplatesService) {}

  /** Creates a template, or one in each of several languages (spec 4.2). */
  @Post('createChatTemplate')
  @HttpCode(200)
  @RequiresScope('templates')
  @ApiOperation({
    operationId: 'createChatTemplate',
    summary: 'Create a template',
    description:
      'It is Pending until it is reviewed, and can be sent once it is Approved. Several languages make several templates, all or none. Scope: `templates`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody(exampleBodies(CreateTemplateRequest, examples.TEMPLATE_BODIES))
  @ApiResponse(described(200, 'Created; `id` is that of the first', examples.CREATED_ANSWER))
  create(
    @CurrentAccount() caller: KeyHolder,
    @Body() request: CreateTemplateRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CreatedTemplates> {
    return this.templates.create(
      { accountId: caller.accountId, path: CREATE_PATH, request, idempotencyKey, reply },
      request,
      caller,
    );
  }

  /** The account's templates, newest first (spec 4.3). */
  @Get('chatTemplateList')
  @RequiresScope('templates')
  @ApiOperation({
    operationId: 'chatTemplateList',
    summary: 'List templates',
    description:
      'Newest first. The same as POST, with a JSON body in place of the query. Scope: `templates`.',
  })
  @ApiResponse(described(200, 'A page', examples.LIST_ANSWER))
  async list(
    @CurrentAccount() { accountId }: KeyHolder,
    @Query() query: TemplateListQuery,
  ): Promise<ListAnswer<TemplateView>> {
    const { page, nextCursor } = await this.templates.list(accountId, query);
    return { ...answer(page, page.length === 1 ? '1 template.' : `${page.length} templates.`), nextCursor };
  }

  /** The same by POST. */
  @Post('chatTemplateList')
  @HttpCode(200)
  @RequiresScope('templates')
  @ApiExcludeEndpoint()
  listByPost(
    @CurrentAccount() caller: KeyHolder,
    @Body() query: TemplateListQuery,
  ): Promise<ListAnswer<TemplateView>> {
    return this.list(caller, query);
  }

  /** One template (spec 4.4). */
  @Get('getChatTemplate')
  @RequiresScope('templates')
  @ApiOperation({
    operationId: 'getChatTemplate',
    summary: 'Get a template',
    description: 'The same as POST, with a JSON body in place of the query. Scope: `templates`.',
  })
  @ApiResponse(described(200, 'The template', examples.FOUND_ANSWER))
  async get(
    @CurrentAccount() { accountId }: KeyHolder,
    @Query() { id }: TemplateIdRequest,
  ): Promise<Answer<TemplateView>> {
    return answer(await this.templates.get(accountId, id), 'The template was found.');
  }

  /** The same by POST. */
  @Post('getChatTemplate')
  @HttpCode(200)
  @RequiresScope('templates')
  @ApiExcludeEndpoint()
  getByPost(
    @CurrentAccount() caller: KeyHolder,
    @Body() request: TemplateIdRequest,
  ): Promise<Answer<TemplateView>> {
    return this.get(caller, request);
  }

  /** Replaces parts of a template (spec 3). */
  @Post('editChatTemplate')
  @HttpCode(200)
  @RequiresScope('templates')
  @ApiOperation({
    operationId: 'editChatTemplate',
    summary: 'Edit a template',
    description:
      'Only one that is Approved, Rejected or Paused, once a day and 10 times a month, by UTC. It is Pending again; what was approved is sent until that is decided. Scope: `templates`.',
  })
  @ApiBody(exampleBodies(EditTemplateRequest, examples.EDIT_BODIES))
  @ApiResponse(described(200, 'The template as it is now', examples.EDITED_ANSWER))
  async edit(
    @CurrentAccount() caller: KeyHolder,
    @Body() request: EditTemplateRequest,
  ): Promise<Answer<TemplateView>> {
    return answer(await this.templates.edit(caller, request), 'The template was changed.');
  }

  /** Takes a template away. */
  @Post('deleteChatTemplate')
  @HttpCode(200)
  @RequiresScope('templates')
  @ApiOperation({
    operationId: 'deleteChatTemplate',
    summary: 'Delete a template',
    description: 'It cannot be sent any more, and its name is free again. Scope: `templates`.',
  })
  @ApiBody(exampleBodies(TemplateIdRequest, examples.DELETE_BODIES))
  @ApiResponse(described(200, 'Deleted', examples.DELETED_ANSWER))
  async delete(
    @CurrentAccount() caller: KeyHolder,
    @Body() { id }: TemplateIdRequest,
  ): Promise<Answer<{ id: string }>> {
    await this.templates.delete(caller, id);
    return answer({ id }, 'The template was deleted.');
  }

  /** Decides on a template as a person (decisions, Status). */
  @Post('reviewChatTemplate')
  @HttpCode(200)
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'reviewChatTemplate',
    summary: 'Review a template',
    description:
      'approve or reject one that is Pending, pause an Approved one, resume a Paused one. Scope: `manage`.',
  })
  @ApiBody(exampleBodies(ReviewTemplateRequest, examples.REVIEW_BODIES))
  @ApiResponse(described(200, 'The template as it is now', examples.REVIEWED_ANSWER))
  async review(
    @CurrentAccount() caller: KeyHolder,
    @Body() request: ReviewTemplateRequest,
  ): Promise<Answer<TemplateView>> {
    return answer(await this.templates.review(caller, request), 'The decision was taken.');
  }

  /** What happened to a template: its versions and the decisions on them, with who and why. */
  @Get('chatTemplateHistory')
  @RequiresScope('templates')
  @ApiOperation({
    operationId: 'chatTemplateHistory',
    summary: 'The history of a template',
    description:
      'Newest first. The same as POST, with a JSON body in place of the query. Scope: `templates`.',
  })
  @ApiResponse(described(200, 'A page', examples.HISTORY_ANSWER))
  async history(
    @CurrentAccount() { accountId }: KeyHolder,
    @Query() query: TemplateHistoryQuery,
  ): Promise<ListAnswer<TemplateEventView>> {
    const { page, nextCursor } = await this.templates.history(accountId, query);
    return { ...answer(page, page.length === 1 ? '1 event.' : `${page.length} events.`), nextCursor };
  }

  /** The same by POST. */
  @Post('chatTemplateHistory')
  @HttpCode(200)
  @RequiresScope('templates')
  @ApiExcludeEndpoint()
  historyByPost(
    @CurrentAccount() caller: KeyHolder,
    @Body() query: TemplateHistoryQuery,
  ): Promise<ListAnswer<TemplateEventView>> {
    return this.history(caller, query);
  }
}
