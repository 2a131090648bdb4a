import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Type } from 'typebox';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, type ListAnswer, answer, counted, listAnswer } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { PHONES_ANSWER, PHONE_ANSWER, PhoneMessageView, PhoneView } from './phone-message.view.ts';
import { PhonesService } from './phones.service.ts';

@ApiTags('Simulator')
@Controller('v1/simulator/phones')
export class PhonesController {
  constructor(private readonly phones: PhonesService) {}

  @Get()
  @Endpoint({
    id: 'listPhones',
    scope: 'send',
    summary: 'List simulated phones',
    description: 'The phones that received a message from this account last, at most 50, the newest first.',
    data: Type.Array(PhoneView),
    answer: PHONES_ANSWER,
    returns: 'The phones.',
  })
  async listRecent(@CurrentAccount() accountId: string): Promise<Answer<PhoneView[]>> {
    const phones = await this.phones.listRecent(accountId);
    return answer(phones, `${counted(phones.length, 'phone')}.`);
  }

  @Get(':msisdn/messages')
  @Endpoint({
    id: 'listPhoneMessages',
    scope: 'send',
    summary: 'List the messages of a simulated phone',
    description: 'Messages that the phone received from this account in the last hour, newest first.',
    params: { msisdn: { example: '919812345678' } },
    entries: PhoneMessageView,
    answer: PHONE_ANSWER,
    returns: 'One page of received messages.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Param('msisdn') msisdn: string,
    @Query() query: PageQuery,
  ): Promise<ListAnswer<PhoneMessageView>> {
    return listAnswer(await this.phones.list(accountId, msisdn, query), 'message');
  }
}
