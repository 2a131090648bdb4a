import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { DELETED, dataOf, pageOf } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { SmsTemplateChangeRequest, SmsTemplateRequest } from './sms-template.dto.ts';
import { SmsTemplateView } from './sms-template.view.ts';
import * as examples from './sms-templates.examples.ts';
import { SmsTemplatesService } from './sms-templates.service.ts';

@Endpoints('SMS templates', { scope: 'manage', params: { id: { example: examples.SMS_TEMPLATE_ID } } })
@Controller('v1/sms/templates')
export class SmsTemplatesController {
  constructor(private readonly templates: SmsTemplatesService) {}

  @Post()
  @Endpoint({
    summary: 'Create an SMS template',
    description:
      'A send fills the template with `templateId` and `custom`, or has its `text` checked against it with `templateId` and `text`.',
    status: 201,
    idempotent: true,
    body: examples.SMS_TEMPLATE_BODIES,
    answer: dataOf(SmsTemplateView, examples.TEMPLATE, 'The template was created.'),
  })
  createSmsTemplate(@CurrentCall() call: RepeatableCall, @Body() request: SmsTemplateRequest) {
    return this.templates.create({ ...call, request });
  }

  @Get()
  @Endpoint({
    scope: ['send', 'manage'],
    summary: 'List SMS templates',
    description: 'Newest first.',
    answer: pageOf(SmsTemplateView, [examples.TEMPLATE], 'template'),
  })
  listSmsTemplates(@CurrentAccount() accountId: string, @Query() query: PageQuery) {
    return this.templates.list(accountId, query);
  }

  @Get(':id')
  @Endpoint({
    scope: ['send', 'manage'],
    summary: 'Get an SMS template',
    answer: dataOf(SmsTemplateView, examples.TEMPLATE, 'The template was found.'),
  })
  getSmsTemplate(@CurrentAccount() accountId: string, @Param('id') id: string) {
    return this.templates.get(accountId, id);
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Change an SMS template',
    description:
      'Fields that the body omits keep their values; null removes a sender, a type or a DLT id. The change applies to sends within a second. Messages accepted before keep their text.',
    body: examples.SMS_TEMPLATE_CHANGES,
    answer: dataOf(SmsTemplateView, examples.SMS_TEMPLATE_CHANGED, 'The template was changed.'),
  })
  changeSmsTemplate(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() change: SmsTemplateChangeRequest,
  ) {
    return this.templates.change(caller, id, change);
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Delete an SMS template',
    description: 'Messages accepted before are still sent.',
    answer: dataOf(DELETED, { id: examples.SMS_TEMPLATE_ID }, 'The template was deleted.'),
  })
  deleteSmsTemplate(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.templates.delete(caller, id);
  }
}
