import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, DELETED, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { SmsTemplateChangeRequest, SmsTemplateRequest } from './sms-template.dto.ts';
import { SmsTemplateView } from './sms-template.view.ts';
import * as examples from './sms-templates.examples.ts';
import { SmsTemplatesService } from './sms-templates.service.ts';

const params = { id: { example: examples.SMS_TEMPLATE_ID } };

@ApiTags('SMS templates')
@Controller('v1/sms/templates')
export class SmsTemplatesController {
  constructor(private readonly templates: SmsTemplatesService) {}

  @Post()
  @Endpoint({
    id: 'createSmsTemplate',
    scope: 'manage',
    summary: 'Create an SMS template',
    description:
      'A send fills the template with `templateId` and `custom`, or has its `text` checked against it with `templateId` and `text`.',
    status: 201,
    idempotent: true,
    body: exampleBodies(SmsTemplateRequest, examples.SMS_TEMPLATE_BODIES),
    data: SmsTemplateView,
    answer: examples.SMS_TEMPLATE_CREATED,
    returns: 'The new template.',
  })
  async create(
    @CurrentCall() call: RepeatableCall,
    @Body() request: SmsTemplateRequest,
  ): Promise<Answer<SmsTemplateView>> {
    return answer(await this.templates.create({ ...call, request }), 'The template was created.');
  }

  @Get()
  @Endpoint({
    id: 'listSmsTemplates',
    scope: ['send', 'manage'],
    summary: 'List SMS templates',
    description: 'Newest first.',
    entries: SmsTemplateView,
    answer: examples.SMS_TEMPLATES_ANSWER,
    returns: 'One page of templates.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Query() query: PageQuery,
  ): Promise<ListAnswer<SmsTemplateView>> {
    return listAnswer(await this.templates.list(accountId, query), 'template');
  }

  @Get(':id')
  @Endpoint({
    id: 'getSmsTemplate',
    scope: ['send', 'manage'],
    summary: 'Get an SMS template',
    params,
    data: SmsTemplateView,
    answer: examples.SMS_TEMPLATE_ANSWER,
    returns: 'The template.',
  })
  async get(@CurrentAccount() accountId: string, @Param('id') id: string): Promise<Answer<SmsTemplateView>> {
    return answer(await this.templates.get(accountId, id), 'The template was found.');
  }

  @Patch(':id')
  @Endpoint({
    id: 'changeSmsTemplate',
    scope: 'manage',
    summary: 'Change an SMS template',
    description:
      'Fields that the body omits keep their values; null removes a sender, a type or a DLT id. The change applies to sends within a second. Messages accepted before keep their text.',
    params,
    body: exampleBodies(SmsTemplateChangeRequest, examples.SMS_TEMPLATE_CHANGES),
    data: SmsTemplateView,
    answer: examples.SMS_TEMPLATE_CHANGED,
    returns: 'The changed template.',
  })
  async change(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
    @Body() change: SmsTemplateChangeRequest,
  ): Promise<Answer<SmsTemplateView>> {
    return answer(await this.templates.change(accountId, id, change), 'The template was changed.');
  }

  @Delete(':id')
  @Endpoint({
    id: 'deleteSmsTemplate',
    scope: 'manage',
    summary: 'Delete an SMS template',
    description: 'Messages accepted before are still sent.',
    params,
    data: DELETED,
    answer: examples.SMS_TEMPLATE_DELETED,
    returns: 'The id of the deleted template.',
  })
  async delete(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
  ): Promise<Answer<{ id: string }>> {
    return answer(await this.templates.delete(accountId, id), 'The template was deleted.');
  }
}
