import { Body, Controller, Get, Headers, Param, Post, Query, Res, type StreamableFile } from '@nestjs/common';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { FastifyReply } from 'fastify';
import { Authentication } from '../auth/authentication.ts';
import { CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { REQUEST_COST, RateGate } from '../auth/rate-gate.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { MESSAGE_ID } from '../docs/example-ids.ts';
import { type ListAnswer, listAnswer, listOf, dataOf, plain } from '../http/answer.ts';
import { Exports } from './exports.ts';
import { csvFile, wantsCsv } from './message-csv.ts';
import { MessageListRequest } from './message-list.dto.ts';
import { MessageSummary, MessageView } from './message.view.ts';
import { MESSAGE, MESSAGE_DETAILS, MESSAGE_FILTERS } from './messages.examples.ts';
import { MessagesService } from './messages.service.ts';

type MessageList = ListAnswer<MessageSummary> | StreamableFile;

/** Points of the rate limit that an export costs. */
const EXPORT_COST = 100;

const LIST = {
  description:
    'Newest first, including scheduled messages. A page may hold fewer messages than `limit` although more follow: continue until `nextCursor` is null. ' +
    `With \`Accept: text/csv\` the response is a CSV file of all matching messages, regardless of \`limit\`; it counts as ${EXPORT_COST} towards the rate limit.`,
  answer: plain(listOf(MessageSummary), listAnswer([MESSAGE], 'message')),
  returns: 'One page of messages.',
  searches: true,
} as const;

@Endpoints('Messages', {
  scope: 'send',
  params: { messageId: { example: MESSAGE_ID, description: 'A `messageId` returned by the send' } },
})
@Controller('v1/messages')
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly exports: Exports,
    private readonly rate: RateGate,
    private readonly authentication: Authentication,
  ) {}

  @Get()
  @Endpoint({
    summary: 'List messages',
    ...LIST,
  })
  listMessages(
    @CurrentCaller() caller: KeyHolder,
    @Query() request: MessageListRequest,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MessageList> {
    return this.answerIn(accept, caller, request, reply);
  }

  @Post()
  @Endpoint({
    reads: true,
    summary: 'List messages, with the filters in the body',
    ...LIST,
    body: MESSAGE_FILTERS,
  })
  searchMessages(
    @CurrentCaller() caller: KeyHolder,
    @Body() request: MessageListRequest,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MessageList> {
    return this.answerIn(accept, caller, request, reply);
  }

  @Get(':messageId')
  @Endpoint({
    summary: 'Get a message and its timeline',
    description:
      '`status` is one of Pending, Sent, Delivered, Read and Failed. The timeline lists what happened to it: decisions about its gateway, reports, pushes, clicks and replies.',
    answer: dataOf(MessageView, MESSAGE_DETAILS, 'The message was found.'),
  })
  getMessage(@CurrentAccount() accountId: string, @Param('messageId') messageId: string) {
    return this.messages.get(accountId, messageId);
  }

  private async answerIn(
    accept: string | undefined,
    caller: KeyHolder,
    request: MessageListRequest,
    reply: FastifyReply,
  ): Promise<MessageList> {
    const { accountId } = caller;
    if (!wantsCsv(accept)) return listAnswer(await this.messages.list(accountId, request), 'message');
    await this.rate.pass(caller, EXPORT_COST - REQUEST_COST, reply);
    const requireLive = () => this.authentication.requireLive(reply.request);
    const lines = await this.exports.run({ accountId, requireLive }, (readPage) =>
      this.messages.export(accountId, request, readPage),
    );
    return csvFile(lines);
  }
}
