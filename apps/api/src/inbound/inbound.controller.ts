import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { INBOUND_ID } from '../docs/example-ids.ts';
import { dataOf, pageOf } from '../http/answer.ts';
import { InboundQuery } from './inbound.dto.ts';
import { FOUND, INBOUND } from './inbound.examples.ts';
import { InboundService } from './inbound.service.ts';
import { InboundView } from './inbound.view.ts';

@Endpoints('Chat-app messages', { scope: 'send', params: { id: { example: INBOUND_ID } } })
@Controller('v1/chatapp/inbound')
export class InboundController {
  constructor(private readonly inbound: InboundService) {}

  @Get()
  @Endpoint({
    searches: true,
    summary: 'List inbound messages',
    description:
      'Newest first. A page may hold fewer messages than `limit` although more follow: continue until `nextCursor` is null.',
    answer: pageOf(InboundView, [INBOUND], 'message'),
  })
  listInbound(@CurrentAccount() accountId: string, @Query() query: InboundQuery) {
    return this.inbound.list('chatapp', accountId, query);
  }

  @Get(':id')
  @Endpoint({
    summary: 'Get an inbound message',
    answer: dataOf(InboundView, FOUND, 'The message was found.'),
  })
  getInbound(@CurrentAccount() accountId: string, @Param('id') id: string) {
    return this.inbound.get('chatapp', accountId, id);
  }
}
