import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { INBOUND_ID } from '../docs/example-ids.ts';
import { dataOf, pageOf } from '../http/answer.ts';
import { SmsInboundQuery } from '../inbound/inbound.dto.ts';
import { InboundService } from '../inbound/inbound.service.ts';
import { InboundView } from '../inbound/inbound.view.ts';
import { INBOUND } from './sms-inbound.examples.ts';

@Endpoints('SMS', { scope: 'send', params: { id: { example: INBOUND_ID } } })
@Controller('v1/sms/inbound')
export class SmsInboundController {
  constructor(private readonly inbound: InboundService) {}

  @Get()
  @Endpoint({
    searches: true,
    summary: 'List inbound SMS',
    description:
      'Messages to numbers that are assigned to your account, newest first. A page may hold fewer messages than `limit` although more follow: continue until `nextCursor` is null.',
    answer: pageOf(InboundView, [INBOUND], 'message'),
  })
  listInboundSms(@CurrentAccount() accountId: string, @Query() query: SmsInboundQuery) {
    return this.inbound.list('sms', accountId, query);
  }

  @Get(':id')
  @Endpoint({
    summary: 'Get an inbound SMS',
    answer: dataOf(InboundView, INBOUND, 'The message was found.'),
  })
  getInboundSms(@CurrentAccount() accountId: string, @Param('id') id: string) {
    return this.inbound.get('sms', accountId, id);
  }
}
