import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Type } from 'typebox';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { NUMBER } from '../docs/model.ts';
import { dataOf, pageOf } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { ChatSenderChange, ChatSenderRequest } from './chat-account.dto.ts';
import { ChatSenderView } from './chat-account.view.ts';
import * as examples from './chat-accounts.examples.ts';
import { ChatSendersService } from './chat-senders.service.ts';

const ID = { id: { example: examples.CHAT_ACCOUNT_ID } };
const SENDER = { ...ID, msisdn: { example: '15550100002' } };

@Endpoints('Chat accounts', { scope: 'manage', params: SENDER })
@Controller('v1/chat-accounts/:id/senders')
export class ChatSendersController {
  constructor(private readonly senders: ChatSendersService) {}

  @Post()
  @Endpoint({
    summary: 'Add a sender',
    description:
      "Registers a number to send from: one that the operator of this service has assigned to the account, or with `SENDER_REGISTRATION=open` one that is nobody's. A number belongs to one chat account. Every other number returns `sender_unavailable`.",
    status: 201,
    idempotent: true,
    body: examples.SENDER_BODIES,
    answer: dataOf(ChatSenderView, examples.SENDER, 'The sender was added.'),
  })
  addChatSender(
    @CurrentCall() call: RepeatableCall,
    @Param('id') id: string,
    @Body() request: ChatSenderRequest,
  ) {
    return this.senders.add(call, id, request);
  }

  @Get()
  @Endpoint({
    scope: ['send', 'templates', 'manage'],
    summary: 'List senders',
    description: 'Ordered by number.',
    answer: pageOf(ChatSenderView, [examples.SENDER], 'sender'),
  })
  listChatSenders(@CurrentAccount() accountId: string, @Param('id') id: string, @Query() query: PageQuery) {
    return this.senders.list(accountId, id, query);
  }

  @Patch(':msisdn')
  @Endpoint({
    summary: 'Change a sender',
    description: 'Messages beyond its rate wait; none of them fails.',
    body: examples.SENDER_CHANGES,
    answer: dataOf(ChatSenderView, examples.SENDER_CHANGED, 'The sender was changed.'),
  })
  changeChatSender(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('msisdn') msisdn: string,
    @Body() change: ChatSenderChange,
  ) {
    return this.senders.change(caller, id, msisdn, change);
  }

  @Delete(':msisdn')
  @Endpoint({
    summary: 'Delete a sender',
    description:
      'The account may add its number again. No other account may for 90 days, unless the operator of this service releases it. Messages that wait to be sent from it fail with errCode `904`.',
    answer: dataOf(
      Type.Object({ msisdn: NUMBER }),
      { msisdn: examples.SENDER.msisdn },
      'The sender was deleted.',
    ),
  })
  deleteChatSender(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('msisdn') msisdn: string,
  ) {
    return this.senders.delete(caller, id, msisdn);
  }
}
