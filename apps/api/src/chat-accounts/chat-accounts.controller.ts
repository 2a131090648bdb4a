import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { Type } from 'typebox';
import { CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { ChatAccountChange, ChatAccountRequest } from './chat-account.dto.ts';
import { ChatAccountView } from './chat-account.view.ts';
import * as examples from './chat-accounts.examples.ts';
import { ChatAccountsService } from './chat-accounts.service.ts';

const params = { id: { example: examples.CHAT_ACCOUNT_ID } };

@ApiTags('Chat accounts')
@Controller('v1/chat-accounts')
export class ChatAccountsController {
  constructor(private readonly chatAccounts: ChatAccountsService) {}

  @Post()
  @Endpoint({
    id: 'createChatAccount',
    scope: 'manage',
    summary: 'Create a chat account',
    description: 'Templates name its `id` as `chatAccountId`.',
    status: 201,
    idempotent: true,
    body: exampleBodies(ChatAccountRequest, examples.CHAT_ACCOUNT_BODIES),
    data: ChatAccountView,
    answer: examples.CREATED_ANSWER,
    returns: 'The new chat account.',
  })
  async create(
    @CurrentCall() call: RepeatableCall,
    @Body() request: ChatAccountRequest,
  ): Promise<Answer<ChatAccountView>> {
    return answer(await this.chatAccounts.create({ ...call, request }), 'The chat account was created.');
  }

  @Get()
  @Endpoint({
    id: 'listChatAccounts',
    scope: ['send', 'templates', 'manage'],
    summary: 'List chat accounts',
    description: 'Newest first.',
    entries: ChatAccountView,
    answer: examples.LIST_ANSWER,
    returns: 'One page of chat accounts.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Query() query: PageQuery,
  ): Promise<ListAnswer<ChatAccountView>> {
    return listAnswer(await this.chatAccounts.list(accountId, query), 'chat account');
  }

  @Get(':id')
  @Endpoint({
    id: 'getChatAccount',
    scope: ['send', 'templates', 'manage'],
    summary: 'Get a chat account',
    params,
    data: ChatAccountView,
    answer: examples.FOUND_ANSWER,
    returns: 'The chat account.',
  })
  async get(@CurrentAccount() accountId: string, @Param('id') id: string): Promise<Answer<ChatAccountView>> {
    return answer(await this.chatAccounts.get(accountId, id), 'The chat account was found.');
  }

  @Patch(':id')
  @Endpoint({
    id: 'changeChatAccount',
    scope: 'manage',
    summary: 'Change a chat account',
    description: 'Fields that the body omits keep their values.',
    params,
    body: exampleBodies(ChatAccountChange, examples.RENAMED_BODIES),
    data: ChatAccountView,
    answer: examples.RENAMED_ANSWER,
    returns: 'The changed chat account.',
  })
  async change(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
    @Body() change: ChatAccountChange,
  ): Promise<Answer<ChatAccountView>> {
    return answer(await this.chatAccounts.change(accountId, id, change), 'The chat account was changed.');
  }

  @Delete(':id')
  @Endpoint({
    id: 'deleteChatAccount',
    scope: 'manage',
    summary: 'Delete a chat account',
    description: 'Also deletes its templates and its senders, as if each was deleted.',
    params,
    data: Type.Object({ id: Type.Integer() }),
    answer: examples.DELETED_ANSWER,
    returns: 'The id of the deleted chat account.',
  })
  async delete(@CurrentCaller() caller: KeyHolder, @Param('id') id: string): Promise<Answer<{ id: number }>> {
    return answer(await this.chatAccounts.delete(caller, id), 'The chat account was deleted.');
  }
}
