import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { InboundQuery } from './inbound.dto.ts';
import { FOUND_ANSWER, INBOUND_ID, LIST_ANSWER } from './inbound.examples.ts';
import { InboundService } from './inbound.service.ts';
import { InboundView } from './inbound.view.ts';

@ApiTags('Chat-app messages')
@Controller('v1/chatapp/inbound')
export class InboundController {
  constructor(private readonly inbound: InboundService) {}

  @Get()
  @Endpoint({
    id: 'listInbound',
    scope: 'send',
    summary: 'List inbound messages',
    description:
      'Newest first. A page may hold fewer messages than `limit` although more follow: continue until `nextCursor` is null.',
    entries: InboundView,
    answer: LIST_ANSWER,
    returns: 'One page of inbound messages.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Query() query: InboundQuery,
  ): Promise<ListAnswer<InboundView>> {
    return listAnswer(await this.inbound.list('chatapp', accountId, query), 'message');
  }

  @Get(':id')
  @Endpoint({
    id: 'getInbound',
    scope: 'send',
    summary: 'Get an inbound message',
    params: { id: { example: INBOUND_ID } },
    data: InboundView,
    answer: FOUND_ANSWER,
    returns: 'The inbound message.',
  })
  async get(@CurrentAccount() accountId: string, @Param('id') id: string): Promise<Answer<InboundView>> {
    return answer(await this.inbound.get('chatapp', accountId, id), 'The message was found.');
  }
}
