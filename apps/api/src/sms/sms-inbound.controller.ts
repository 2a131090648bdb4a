import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { SmsInboundQuery } from '../inbound/inbound.dto.ts';
import { INBOUND_ID } from '../inbound/inbound.examples.ts';
import { InboundService } from '../inbound/inbound.service.ts';
import { InboundView } from '../inbound/inbound.view.ts';
import { FOUND_ANSWER, LIST_ANSWER } from './sms-inbound.examples.ts';

@ApiTags('SMS')
@Controller('v1/sms/inbound')
export class SmsInboundController {
  constructor(private readonly inbound: InboundService) {}

  @Get()
  @Endpoint({
    id: 'listInboundSms',
    scope: 'send',
    summary: 'List inbound SMS',
    description:
      'Messages to numbers that are assigned to your account, newest first. A page may hold fewer messages than `limit` although more follow: continue until `nextCursor` is null.',
    entries: InboundView,
    answer: LIST_ANSWER,
    returns: 'One page of inbound SMS.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Query() query: SmsInboundQuery,
  ): Promise<ListAnswer<InboundView>> {
    return listAnswer(await this.inbound.list('sms', accountId, query), 'message');
  }

  @Get(':id')
  @Endpoint({
    id: 'getInboundSms',
    scope: 'send',
    summary: 'Get an inbound SMS',
    params: { id: { example: INBOUND_ID } },
    data: InboundView,
    answer: FOUND_ANSWER,
    returns: 'The inbound SMS.',
  })
  async get(@CurrentAccount() accountId: string, @Param('id') id: string): Promise<Answer<InboundView>> {
    return answer(await this.inbound.get('sms', accountId, id), 'The message was found.');
  }
}
