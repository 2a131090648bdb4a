import { Body, Controller, Delete, Get, Headers, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { FastifyReply } from 'fastify';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { IDEMPOTENCY_KEY, described, exampleBodies } from '../docs/described.ts';
import { type Answer, type ListAnswer, answer } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import {
  ChatAccountChange,
  ChatAccountRequest,
  ChatSenderChange,
  ChatSenderRequest,
} from './chat-account.dto.ts';
import type { ChatAccountView, ChatSenderView } from './chat-account.view.ts';
import * as examples from './chat-accounts.examples.ts';
import { ChatAccountsService } from './chat-accounts.service.ts';

const PATH = '/v1/chat-accounts';
const ID = { name: 'id', example: examples.CHAT_ACCOUNT_ID };

@ApiTags('Chat accounts')
@Controller(PATH)
export class ChatAccountsController {
  constructor(private readonly chatAccounts: ChatAccountsService) {}

  /** Makes a business chat-app account; its id is the chatAccountId that templates name (spec 2.1). */
  @Post()
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'createChatAccount',
    summary: 'Create a chat account',
    description: 'Its `id` is the `chatAccountId` that templates name. Scope: `manage`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody(exampleBodies(ChatAccountRequest, examples.CHAT_ACCOUNT_BODIES))
  @ApiResponse(described(201, 'Created', examples.CREATED_ANSWER))
  async create(
    @CurrentAccount() { accountId }: KeyHolder,
    @Body() request: ChatAccountRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer<ChatAccountView>> {
    const call = { accountId, path: PATH, request, idempotencyKey, reply };
    return answer(await this.chatAccounts.create(call, request), 'The chat account was created.');
  }

  /** The tenant's chat accounts, newest first. */
  @Get()
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'listChatAccounts',
    summary: 'List chat accounts',
    description: 'Newest first. Scope: `manage`.',
  })
  @ApiResponse(described(200, 'A page', examples.LIST_ANSWER))
  async list(
    @CurrentAccount() { accountId }: KeyHolder,
    @Query() query: PageQuery,
  ): Promise<ListAnswer<ChatAccountView>> {
    const { page, nextCursor } = await this.chatAccounts.list(accountId, query);
    return {
      ...answer(page, page.length === 1 ? '1 chat account.' : `${page.length} chat accounts.`),
      nextCursor,
    };
  }

  /** One chat account. */
  @Get(':id')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'getChatAccount',
    summary: 'Get a chat account',
    description: 'Scope: `manage`.',
  })
  @ApiParam(ID)
  @ApiResponse(described(200, 'The chat account', examples.FOUND_ANSWER))
  async get(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
  ): Promise<Answer<ChatAccountView>> {
    return answer(await this.chatAccounts.get(accountId, id), 'The chat account was found.');
  }

  /** Changes a chat account's name, or what it does about the session window. */
  @Patch(':id')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'changeChatAccount',
    summary: 'Change a chat account',
    description: 'What is not given stays. Scope: `manage`.',
  })
  @ApiParam(ID)
  @ApiBody(exampleBodies(ChatAccountChange, examples.RENAMED_BODIES))
  @ApiResponse(described(200, 'The chat account as it is now', examples.RENAMED_ANSWER))
  async change(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
    @Body() request: ChatAccountChange,
  ): Promise<Answer<ChatAccountView>> {
    return answer(await this.chatAccounts.change(accountId, id, request), 'The chat account was changed.');
  }

  /** Takes a chat account away. */
  @Delete(':id')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'deleteChatAccount',
    summary: 'Delete a chat account',
    description: 'With its senders, whose numbers are free again, and its templates. Scope: `manage`.',
  })
  @ApiParam(ID)
  @ApiResponse(described(200, 'Deleted', examples.DELETED_ANSWER))
  async delete(
    @CurrentAccount() caller: KeyHolder,
    @Param('id') id: string,
  ): Promise<Answer<{ id: number }>> {
    await this.chatAccounts.delete(caller, id);
    return answer({ id: Number(id) }, 'The chat account was deleted.');
  }

  /** Registers a number that the chat account sends from; a number belongs to one chat account of all. */
  @Post(':id/senders')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'addChatSender',
    summary: 'Add a sender',
    description:
      'A number belongs to one chat account only: one that is registered anywhere is refused with `name_exists`. Scope: `manage`.',
  })
  @ApiParam(ID)
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody(exampleBodies(ChatSenderRequest, examples.SENDER_BODIES))
  @ApiResponse(described(201, 'Added', examples.SENDER_ANSWER))
  async addSender(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
    @Body() request: ChatSenderRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer<ChatSenderView>> {
    const call = { accountId, path: `${PATH}/senders`, request: { id, ...request }, idempotencyKey, reply };
    return answer(await this.chatAccounts.addSender(call, id, request), 'The sender was added.');
  }

  /** The numbers of a chat account. */
  @Get(':id/senders')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'listChatSenders',
    summary: 'List senders',
    description: 'By number. Scope: `manage`.',
  })
  @ApiParam(ID)
  @ApiResponse(described(200, 'A page', examples.SENDERS_ANSWER))
  async listSenders(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
    @Query() query: PageQuery,
  ): Promise<ListAnswer<ChatSenderView>> {
    const { page, nextCursor } = await this.chatAccounts.listSenders(accountId, id, query);
    return { ...answer(page, page.length === 1 ? '1 sender.' : `${page.length} senders.`), nextCursor };
  }

  /** Changes how fast messages go out from a number. */
  @Patch(':id/senders/:msisdn')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'changeChatSender',
    summary: 'Change a sender',
    description: 'Messages beyond its pace are spread, none fails. Scope: `manage`.',
  })
  @ApiParam(ID)
  @ApiParam({ name: 'msisdn', example: '15550100002' })
  @ApiBody(exampleBodies(ChatSenderChange, examples.SENDER_CHANGES))
  @ApiResponse(described(200, 'The sender as it is now', examples.SENDER_CHANGED_ANSWER))
  async changeSender(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
    @Param('msisdn') msisdn: string,
    @Body() request: ChatSenderChange,
  ): Promise<Answer<ChatSenderView>> {
    return answer(
      await this.chatAccounts.changeSender(accountId, id, msisdn, request),
      'The sender was changed.',
    );
  }

  /** Takes a number away from a chat account. */
  @Delete(':id/senders/:msisdn')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'deleteChatSender',
    summary: 'Delete a sender',
    description: 'Its number is free again. Scope: `manage`.',
  })
  @ApiParam(ID)
  @ApiParam({ name: 'msisdn', example: '15550100002' })
  @ApiResponse(described(200, 'Deleted', examples.SENDER_DELETED_ANSWER))
  async deleteSender(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
    @Param('msisdn') msisdn: string,
  ): Promise<Answer<{ msisdn: string }>> {
    return answer(await this.chatAccounts.deleteSender(accountId, id, msisdn), 'The sender was deleted.');
  }
}
