import { Controller, Get, Param, Query } from '@nestjs/common';
import { Type } from 'typebox';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { counted, dataOf, pageOf } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { PHONES, PHONE, PhoneMessageView, PhoneView } from './phone-message.view.ts';
import { PhonesService } from './phones.service.ts';

@Endpoints('Simulator', { scope: 'send', params: { msisdn: { example: '919812345678' } } })
@Controller('v1/simulator/phones')
export class PhonesController {
  constructor(private readonly phones: PhonesService) {}

  @Get()
  @Endpoint({
    summary: 'List simulated phones',
    description: 'The phones that received a message from this account last, at most 50, the newest first.',
    answer: dataOf(Type.Array(PhoneView), PHONES, (phones) => `${counted(phones.length, 'phone')}.`),
    returns: 'The phones.',
  })
  listPhones(@CurrentAccount() accountId: string) {
    return this.phones.listRecent(accountId);
  }

  @Get(':msisdn/messages')
  @Endpoint({
    summary: 'List the messages of a simulated phone',
    description: 'Messages that the phone received from this account in the last hour, newest first.',
    answer: pageOf(PhoneMessageView, PHONE, 'message'),
  })
  listPhoneMessages(
    @CurrentAccount() accountId: string,
    @Param('msisdn') msisdn: string,
    @Query() query: PageQuery,
  ) {
    return this.phones.list(accountId, msisdn, query);
  }
}
