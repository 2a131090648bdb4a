import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { Type } from 'typebox';
import { CurrentAccount, CurrentCaller, ReadsOnly } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, DELETED, type ListAnswer, answer, answerOf, listAnswer } from '../http/answer.ts';
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
@ApiTags('Chat-app templates')
@Controller('v1/chatapp')
export class TemplatesController {
  constructor(private readonly templates: TemplatesService) {}

  @Post('createChatTemplate')
  @Endpoint({
    id: 'createChatTemplate',
    scope: 'templates',
    summary: 'Create a template',
    description:
      'The template is Pending until its review, and can be sent once it is Approved. Several languages create several templates, all or none. With `dryRun=true` nothing is stored, and the answer shows what a reviewer would find.',
    idempotent: true,
    body: exampleBodies(CreateTemplateRequest, examples.TEMPLATE_BODIES),
    schema: Type.Union([CreatedTemplates, TemplateDryRun]),
    answer: examples.CREATED_ANSWER,
    returns: 'The new templates; `id` is the id of the first.',
  })
  create(
    @CurrentCall() call: RepeatableCall,
    @Body() request: CreateTemplateRequest,
    @Query() { dryRun }: SendQuery,
  ): Promise<CreatedTemplates | TemplateDryRun> {
    return dryRun === 'true'
      ? this.templates.tryCreate(call.caller, request)
      : this.templates.create(call, request);
  }

  @Get('chatTemplateList')
  @Endpoint({
    id: 'chatTemplateList',
    scope: 'templates',
    summary: 'List templates',
    description: 'Newest first. POST with a JSON body is equivalent.',
    entries: TemplateView,
    answer: examples.LIST_ANSWER,
    returns: 'One page of templates.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Query() query: TemplateListQuery,
  ): Promise<ListAnswer<TemplateView>> {
    return listAnswer(await this.templates.list(accountId, query), 'template');
  }

  @Post('chatTemplateList')
  @ReadsOnly('chatTemplateList', 'templates')
  listByPost(
    @CurrentAccount() accountId: string,
    @Body() query: TemplateListQuery,
  ): Promise<ListAnswer<TemplateView>> {
    return this.list(accountId, query);
  }

  @Get('getChatTemplate')
  @Endpoint({
    id: 'getChatTemplate',
    scope: 'templates',
    summary: 'Get a template',
    description: 'POST with a JSON body is equivalent.',
    data: TemplateView,
    answer: examples.FOUND_ANSWER,
    returns: 'The template.',
  })
  async get(
    @CurrentAccount() accountId: string,
    @Query() { id }: TemplateIdRequest,
  ): Promise<Answer<TemplateView>> {
    return answer(await this.templates.get(accountId, id), 'The template was found.');
  }

  @Post('getChatTemplate')
  @ReadsOnly('getChatTemplate', 'templates')
  getByPost(
    @CurrentAccount() accountId: string,
    @Body() request: TemplateIdRequest,
  ): Promise<Answer<TemplateView>> {
    return this.get(accountId, request);
  }

  @Post('editChatTemplate')
  @Endpoint({
    id: 'editChatTemplate',
    scope: 'templates',
    summary: 'Edit a template',
    description:
      'Replaces the given fields of an Approved, Rejected or Paused template, at most once per UTC day and 10 times per UTC month. The template becomes Pending; its approved version stays sendable until the review. With `dryRun=true` nothing is changed, and the answer shows what a reviewer would find.',
    body: exampleBodies(EditTemplateRequest, examples.EDIT_BODIES),
    schema: Type.Union([answerOf(TemplateView), TemplateDryRun]),
    answer: examples.EDITED_ANSWER,
    returns: 'The edited template.',
  })
  async edit(
    @CurrentCaller() caller: KeyHolder,
    @Body() request: EditTemplateRequest,
    @Query() { dryRun }: SendQuery,
  ): Promise<Answer<TemplateView> | TemplateDryRun> {
    if (dryRun === 'true') return this.templates.tryEdit(caller, request);
    return answer(await this.templates.edit(caller, request), 'The template was changed.');
  }

  @Post('deleteChatTemplate')
  @Endpoint({
    id: 'deleteChatTemplate',
    scope: 'templates',
    summary: 'Delete a template',
    description: 'The template can no longer be sent, and its name becomes available again.',
    body: exampleBodies(TemplateIdRequest, examples.DELETE_BODIES),
    data: DELETED,
    answer: examples.DELETED_ANSWER,
    returns: 'The id of the deleted template.',
  })
  async delete(
    @CurrentCaller() caller: KeyHolder,
    @Body() { id }: TemplateIdRequest,
  ): Promise<Answer<{ id: string }>> {
    return answer(await this.templates.delete(caller, id), 'The template was deleted.');
  }

  @Post('reviewChatTemplate')
  @Endpoint({
    id: 'reviewChatTemplate',
    scope: 'manage',
    summary: 'Review a template',
    description: 'Approves or rejects a Pending template, pauses an Approved one, or resumes a Paused one.',
    body: exampleBodies(ReviewTemplateRequest, examples.REVIEW_BODIES),
    data: TemplateView,
    answer: examples.REVIEWED_ANSWER,
    returns: 'The reviewed template.',
  })
  async review(
    @CurrentCaller() caller: KeyHolder,
    @Body() request: ReviewTemplateRequest,
  ): Promise<Answer<TemplateView>> {
    return answer(await this.templates.review(caller, request), 'The decision was taken.');
  }

  @Get('chatTemplateHistory')
  @Endpoint({
    id: 'chatTemplateHistory',
    scope: 'templates',
    summary: 'List the history of a template',
    description:
      'Versions and decisions with their actor and reason, newest first. POST with a JSON body is equivalent.',
    entries: TemplateEventView,
    answer: examples.HISTORY_ANSWER,
    returns: 'One page of events.',
  })
  async history(
    @CurrentAccount() accountId: string,
    @Query() query: TemplateHistoryQuery,
  ): Promise<ListAnswer<TemplateEventView>> {
    return listAnswer(await this.templates.history(accountId, query), 'event');
  }

  @Post('chatTemplateHistory')
  @ReadsOnly('chatTemplateHistory', 'templates')
  historyByPost(
    @CurrentAccount() accountId: string,
    @Body() query: TemplateHistoryQuery,
  ): Promise<ListAnswer<TemplateEventView>> {
    return this.history(accountId, query);
  }
}
