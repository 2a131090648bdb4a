import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Type } from 'typebox';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { dataOf, pageOf } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { ChatAccountChange, ChatAccountRequest } from './chat-account.dto.ts';
import { ChatAccountView } from './chat-account.view.ts';
import * as examples from './chat-accounts.examples.ts';
import { ChatAccountsService } from './chat-accounts.service.ts';

@Endpoints('Chat accounts', { scope: 'manage', params: { id: { example: examples.CHAT_ACCOUNT_ID } } })
@Controller('v1/chat-accounts')
export class ChatAccountsController {
  constructor(private readonly chatAccounts: ChatAccountsService) {}

  @Post()
  @Endpoint({
    summary: 'Create a chat account',
    description: 'Templates name its `id` as `chatAccountId`.',
    status: 201,
    idempotent: true,
    body: examples.CHAT_ACCOUNT_BODIES,
    answer: dataOf(ChatAccountView, examples.CHAT_ACCOUNT, 'The chat account was created.'),
  })
  createChatAccount(@CurrentCall() call: RepeatableCall, @Body() request: ChatAccountRequest) {
    return this.chatAccounts.create({ ...call, request });
  }

  @Get()
  @Endpoint({
    scope: ['send', 'templates', 'manage'],
    summary: 'List chat accounts',
    description: 'Newest first.',
    answer: pageOf(ChatAccountView, [examples.CHAT_ACCOUNT], 'chat account'),
  })
  listChatAccounts(@CurrentAccount() accountId: string, @Query() query: PageQuery) {
    return this.chatAccounts.list(accountId, query);
  }

  @Get(':id')
  @Endpoint({
    scope: ['send', 'templates', 'manage'],
    summary: 'Get a chat account',
    answer: dataOf(ChatAccountView, examples.CHAT_ACCOUNT, 'The chat account was found.'),
  })
  getChatAccount(@CurrentAccount() accountId: string, @Param('id') id: string) {
    return this.chatAccounts.get(accountId, id);
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Change a chat account',
    description: 'Fields that the body omits keep their values.',
    body: examples.RENAMED_BODIES,
    answer: dataOf(ChatAccountView, examples.RENAMED, 'The chat account was changed.'),
  })
  changeChatAccount(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() change: ChatAccountChange,
  ) {
    return this.chatAccounts.change(caller, id, change);
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Delete a chat account',
    description: 'Also deletes its templates and its senders, as if each was deleted.',
    answer: dataOf(
      Type.Object({ id: Type.Integer() }),
      { id: examples.CHAT_ACCOUNT_ID },
      'The chat account was deleted.',
    ),
  })
  deleteChatAccount(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.chatAccounts.delete(caller, id);
  }
}
