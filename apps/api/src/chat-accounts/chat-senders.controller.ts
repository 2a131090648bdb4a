import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Type } from 'typebox';
import { CurrentAccount } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { NUMBER } from '../docs/model.ts';
import { type Answer, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { ChatSenderChange, ChatSenderRequest } from './chat-account.dto.ts';
import { ChatSenderView } from './chat-account.view.ts';
import * as examples from './chat-accounts.examples.ts';
import { ChatSendersService } from './chat-senders.service.ts';

const ID = { id: { example: examples.CHAT_ACCOUNT_ID } };
const SENDER = { ...ID, msisdn: { example: '15550100002' } };

@ApiTags('Chat accounts')
@Controller('v1/chat-accounts/:id/senders')
export class ChatSendersController {
  constructor(private readonly senders: ChatSendersService) {}

  @Post()
  @Endpoint({
    id: 'addChatSender',
    scope: 'manage',
    summary: 'Add a sender',
    description:
      "Registers a number to send from: one that the operator of this service has assigned to the account, or with `SENDER_REGISTRATION=open` one that is nobody's. A number belongs to one chat account. Every other number returns `sender_unavailable`.",
    status: 201,
    idempotent: true,
    params: ID,
    body: exampleBodies(ChatSenderRequest, examples.SENDER_BODIES),
    data: ChatSenderView,
    answer: examples.SENDER_ANSWER,
    returns: 'The new sender.',
  })
  async add(
    @CurrentCall() call: RepeatableCall,
    @Param('id') id: string,
    @Body() request: ChatSenderRequest,
  ): Promise<Answer<ChatSenderView>> {
    return answer(await this.senders.add(call, id, request), 'The sender was added.');
  }

  @Get()
  @Endpoint({
    id: 'listChatSenders',
    scope: ['send', 'templates', 'manage'],
    summary: 'List senders',
    description: 'Ordered by number.',
    params: ID,
    entries: ChatSenderView,
    answer: examples.SENDERS_ANSWER,
    returns: 'One page of senders.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
    @Query() query: PageQuery,
  ): Promise<ListAnswer<ChatSenderView>> {
    return listAnswer(await this.senders.list(accountId, id, query), 'sender');
  }

  @Patch(':msisdn')
  @Endpoint({
    id: 'changeChatSender',
    scope: 'manage',
    summary: 'Change a sender',
    description: 'Messages beyond its rate wait; none of them fails.',
    params: SENDER,
    body: exampleBodies(ChatSenderChange, examples.SENDER_CHANGES),
    data: ChatSenderView,
    answer: examples.SENDER_CHANGED_ANSWER,
    returns: 'The changed sender.',
  })
  async change(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
    @Param('msisdn') msisdn: string,
    @Body() change: ChatSenderChange,
  ): Promise<Answer<ChatSenderView>> {
    return answer(await this.senders.change(accountId, id, msisdn, change), 'The sender was changed.');
  }

  @Delete(':msisdn')
  @Endpoint({
    id: 'deleteChatSender',
    scope: 'manage',
    summary: 'Delete a sender',
    description:
      'The account may add its number again. No other account may for 90 days, unless the operator of this service releases it. Messages that wait to be sent from it fail with errCode `904`.',
    params: SENDER,
    data: Type.Object({ msisdn: NUMBER }),
    answer: examples.SENDER_DELETED_ANSWER,
    returns: 'The number of the deleted sender.',
  })
  async delete(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
    @Param('msisdn') msisdn: string,
  ): Promise<Answer<{ msisdn: string }>> {
    return answer(await this.senders.delete(accountId, id, msisdn), 'The sender was deleted.');
  }
}
