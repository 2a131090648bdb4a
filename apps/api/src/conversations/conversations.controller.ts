import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type ListAnswer, listAnswer } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { ConversationsQuery } from './conversations.dto.ts';
import { CONVERSATIONS_ANSWER, THREAD_ANSWER } from './conversations.examples.ts';
import { ConversationsService } from './conversations.service.ts';
import { ConversationView, ThreadEntry } from './conversations.view.ts';

@ApiTags('Messages')
@Controller('v1/conversations')
export class ConversationsController {
  constructor(private readonly conversations: ConversationsService) {}

  @Get()
  @Endpoint({
    id: 'listConversations',
    scope: 'send',
    cost: 5,
    summary: 'List conversations',
    description:
      'Everyone who wrote to a sender of the account, those who wrote last first, with the end of the session window and the newest message to them. A page may hold fewer conversations than `limit` although more follow: continue until `nextCursor` is null.',
    entries: ConversationView,
    answer: CONVERSATIONS_ANSWER,
    returns: 'One page of conversations.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Query() query: ConversationsQuery,
  ): Promise<ListAnswer<ConversationView>> {
    return listAnswer(await this.conversations.list(accountId, query), 'conversation');
  }

  @Get(':sender/:recipient')
  @Endpoint({
    id: 'listConversationMessages',
    scope: 'send',
    cost: 5,
    summary: 'List the messages of a conversation',
    description:
      'Messages in both directions, newest first. Messages that wait for their time are absent. A page may hold fewer messages than `limit` although more follow: continue until `nextCursor` is null.',
    params: {
      sender: { example: '15550100001', description: "The account's number" },
      recipient: { example: '919812345678', description: 'The number or user id of the person' },
    },
    entries: ThreadEntry,
    answer: THREAD_ANSWER,
    returns: 'One page of messages.',
  })
  async thread(
    @CurrentAccount() accountId: string,
    @Param('sender') sender: string,
    @Param('recipient') recipient: string,
    @Query() query: PageQuery,
  ): Promise<ListAnswer<ThreadEntry>> {
    return listAnswer(await this.conversations.thread(accountId, { sender, recipient }, query), 'message');
  }
}
