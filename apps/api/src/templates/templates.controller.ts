import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { Type } from 'typebox';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { ByPost, Endpoint, Endpoints } from '../docs/endpoint.ts';
import { type Answer, DELETED, answer, answerOf, dataOf, pageOf, plain } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { SendQuery } from '../sending/send-options.dto.ts';
import {
  CreateTemplateRequest,
  EditTemplateRequest,
  ReviewTemplateRequest,
  TemplateHistoryQuery,
  TemplateIdRequest,
  TemplateListQuery,
} from './template.dto.ts';
import { CreatedTemplates, TemplateDryRun, TemplateEventView, TemplateView } from './template.view.ts';
import * as examples from './templates.examples.ts';
import { TemplatesService } from './templates.service.ts';

/** Reads answer GET with a query and POST with a JSON body alike. */
@Endpoints('Chat-app templates', { scope: 'templates' })
@Controller('v1/chatapp')
export class TemplatesController {
  constructor(private readonly templates: TemplatesService) {}

  @Post('createChatTemplate')
  @Endpoint({
    summary: 'Create a template',
    description:
      'The template is Pending until its review, and can be sent once it is Approved. Several languages create several templates, all or none, and each takes a point of the rate limit. With `dryRun=true` nothing is stored, and the response shows what a reviewer would find.',
    idempotent: true,
    body: examples.TEMPLATE_BODIES,
    answer: plain(Type.Union([CreatedTemplates, TemplateDryRun]), examples.CREATED_ANSWER),
    returns: 'The new templates; `id` is the id of the first.',
  })
  createChatTemplate(
    @CurrentCall() call: RepeatableCall,
    @Body() request: CreateTemplateRequest,
    @Query() { dryRun }: SendQuery,
  ): Promise<CreatedTemplates | TemplateDryRun> {
    return dryRun === 'true' ? this.templates.tryCreate(call, request) : this.templates.create(call, request);
  }

  @Get('chatTemplateList')
  @Endpoint({
    summary: 'List templates',
    description: 'Newest first. POST with a JSON body is equivalent.',
    answer: pageOf(TemplateView, [examples.TEMPLATE], 'template'),
  })
  chatTemplateList(@CurrentAccount() accountId: string, @Query() query: TemplateListQuery) {
    return this.templates.list(accountId, query);
  }

  @Post('chatTemplateList')
  @ByPost('chatTemplateList')
  listByPost(@CurrentAccount() accountId: string, @Body() query: TemplateListQuery) {
    return this.chatTemplateList(accountId, query);
  }

  @Get('getChatTemplate')
  @Endpoint({
    summary: 'Get a template',
    description: 'POST with a JSON body is equivalent.',
    answer: dataOf(TemplateView, examples.TEMPLATE, 'The template was found.'),
  })
  getChatTemplate(@CurrentAccount() accountId: string, @Query() { id }: TemplateIdRequest) {
    return this.templates.get(accountId, id);
  }

  @Post('getChatTemplate')
  @ByPost('getChatTemplate')
  getByPost(@CurrentAccount() accountId: string, @Body() request: TemplateIdRequest) {
    return this.getChatTemplate(accountId, request);
  }

  @Post('editChatTemplate')
  @Endpoint({
    summary: 'Edit a template',
    description:
      'Replaces the given fields of an Approved, Rejected or Paused template, at most once per UTC day and 10 times per UTC month. The template becomes Pending; its approved version stays sendable until the review, unless it was Paused. With `dryRun=true` nothing is changed, and the response shows what a reviewer would find.',
    body: examples.EDIT_BODIES,
    answer: plain(Type.Union([answerOf(TemplateView), TemplateDryRun]), examples.EDITED_ANSWER),
    returns: 'The edited template.',
  })
  async editChatTemplate(
    @CurrentCaller() caller: Caller,
    @Body() request: EditTemplateRequest,
    @Query() { dryRun }: SendQuery,
  ): Promise<Answer<TemplateView> | TemplateDryRun> {
    if (dryRun === 'true') return this.templates.tryEdit(caller, request);
    return answer(await this.templates.edit(caller, request), 'The template was changed.');
  }

  @Post('deleteChatTemplate')
  @Endpoint({
    summary: 'Delete a template',
    description: 'The template can no longer be sent, and its name becomes available again.',
    body: examples.DELETE_BODIES,
    answer: dataOf(DELETED, { id: examples.TEMPLATE_ID }, 'The template was deleted.'),
  })
  deleteChatTemplate(@CurrentCaller() caller: Caller, @Body() { id }: TemplateIdRequest) {
    return this.templates.delete(caller, id);
  }

  @Post('reviewChatTemplate')
  @Endpoint({
    scope: 'manage',
    summary: 'Review a template',
    description: 'Approves or rejects a Pending template, pauses an Approved one, or resumes a Paused one.',
    body: examples.REVIEW_BODIES,
    answer: dataOf(TemplateView, examples.TEMPLATE, 'The decision was recorded.'),
  })
  reviewChatTemplate(@CurrentCaller() caller: Caller, @Body() request: ReviewTemplateRequest) {
    return this.templates.review(caller, request);
  }

  @Get('chatTemplateHistory')
  @Endpoint({
    summary: 'List the history of a template',
    description:
      'Versions and decisions with their actor and reason, newest first. POST with a JSON body is equivalent.',
    answer: pageOf(TemplateEventView, [examples.EVENT], 'event'),
  })
  chatTemplateHistory(@CurrentAccount() accountId: string, @Query() query: TemplateHistoryQuery) {
    return this.templates.history(accountId, query);
  }

  @Post('chatTemplateHistory')
  @ByPost('chatTemplateHistory')
  historyByPost(@CurrentAccount() accountId: string, @Body() query: TemplateHistoryQuery) {
    return this.chatTemplateHistory(accountId, query);
  }
}
