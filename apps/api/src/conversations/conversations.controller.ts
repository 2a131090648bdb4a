import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { pageOf } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { ConversationsQuery } from './conversations.dto.ts';
import { CONVERSATIONS, THREAD } from './conversations.examples.ts';
import { ConversationsService } from './conversations.service.ts';
import { ConversationView, ThreadEntry } from './conversations.view.ts';

@Endpoints('Messages', {
  scope: 'send',
  params: {
    sender: { example: '15550100001', description: "The account's number" },
    recipient: { example: '919812345678', description: 'The number or user id of the person' },
  },
})
@Controller('v1/conversations')
export class ConversationsController {
  constructor(private readonly conversations: ConversationsService) {}

  @Get()
  @Endpoint({
    cost: 5,
    summary: 'List conversations',
    description:
      'Everyone who wrote to a sender of the account, those who wrote last first, with the end of the session window and the newest message to them. A page may hold fewer conversations than `limit` although more follow: continue until `nextCursor` is null.',
    answer: pageOf(ConversationView, CONVERSATIONS, 'conversation'),
  })
  listConversations(@CurrentAccount() accountId: string, @Query() query: ConversationsQuery) {
    return this.conversations.list(accountId, query);
  }

  @Get(':sender/:recipient')
  @Endpoint({
    cost: 5,
    summary: 'List the messages of a conversation',
    description:
      'Messages in both directions, newest first. Messages that wait for their time are absent. A page may hold fewer messages than `limit` although more follow: continue until `nextCursor` is null.',
    answer: pageOf(ThreadEntry, THREAD, 'message'),
  })
  listConversationMessages(
    @CurrentAccount() accountId: string,
    @Param('sender') sender: string,
    @Param('recipient') recipient: string,
    @Query() query: PageQuery,
  ) {
    return this.conversations.thread(accountId, { sender, recipient }, query);
  }
}
