import type { Readable } from 'node:stream';
import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Query,
  Res,
  StreamableFile,
} from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { FastifyReply } from 'fastify';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { described, exampleBodies } from '../docs/described.ts';
import { type Answer, type ListAnswer, answer } from '../http/answer.ts';
import { breakOffWhenStalled } from '../http/stalled-answer.ts';
import { MessageListRequest } from './message-list.dto.ts';
import type { MessageSummary, MessageView } from './message.view.ts';
import { MESSAGES_ANSWER, MESSAGE_ANSWER, MESSAGE_FILTERS, MESSAGE_ID } from './messages.examples.ts';
import { MessagesService } from './messages.service.ts';

const LIST_DESCRIPTION =
  'Newest first, those that wait to be sent among them. A page may hold fewer messages than `limit` while `nextCursor` is set: go on until it is null. ' +
  'With `Accept: text/csv` the answer is all that matches, as CSV; `limit` does not count then. Scope: `send`.';

@ApiTags('Messages')
@Controller('v1/messages')
export class MessagesController {
  constructor(private readonly messages: MessagesService) {}

  /** The account's messages, newest first. */
  @Get()
  @RequiresScope('send')
  @ApiOperation({ operationId: 'listMessages', summary: 'List messages', description: LIST_DESCRIPTION })
  @ApiResponse(described(200, 'A page', MESSAGES_ANSWER))
  list(
    @CurrentAccount() caller: KeyHolder,
    @Query() request: MessageListRequest,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ListAnswer<MessageSummary> | StreamableFile> {
    return wantsCsv(accept) ? this.export(caller, request, reply) : this.answerList(caller, request);
  }

  /** The same with the filters in a body. */
  @Post()
  @HttpCode(200)
  @RequiresScope('send')
  @ApiOperation({
    operationId: 'searchMessages',
    summary: 'List messages, with the filters in a body',
    description: LIST_DESCRIPTION,
  })
  @ApiBody(exampleBodies(MessageListRequest, MESSAGE_FILTERS))
  @ApiResponse(described(200, 'A page', MESSAGES_ANSWER))
  search(
    @CurrentAccount() caller: KeyHolder,
    @Body() request: MessageListRequest,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ListAnswer<MessageSummary> | StreamableFile> {
    return wantsCsv(accept) ? this.export(caller, request, reply) : this.answerList(caller, request);
  }

  /** What happened to one message: its status, and its timeline of reports and pushes. */
  @Get(':messageId')
  @RequiresScope('send')
  @ApiOperation({
    operationId: 'getMessage',
    summary: 'Look up a message and its timeline',
    description:
      'Status is one of Pending, Sent, Delivered, Read, Failed. The timeline has the reports that moved the message, and each push. Scope: `send`.',
  })
  @ApiParam({ name: 'messageId', example: MESSAGE_ID, description: 'As the answer to the send gave it' })
  @ApiResponse(described(200, 'The message', MESSAGE_ANSWER))
  async get(
    @CurrentAccount() caller: KeyHolder,
    @Param('messageId') messageId: string,
  ): Promise<Answer<MessageView>> {
    return answer(await this.messages.get(caller.accountId, messageId), 'The message was found.');
  }

  private async answerList(
    { accountId }: KeyHolder,
    request: MessageListRequest,
  ): Promise<ListAnswer<MessageSummary>> {
    const { page, nextCursor } = await this.messages.list(accountId, request);
    return { ...answer(page, page.length === 1 ? '1 message.' : `${page.length} messages.`), nextCursor };
  }

  private async export(
    { accountId }: KeyHolder,
    request: MessageListRequest,
    reply: FastifyReply,
  ): Promise<StreamableFile> {
    const lines = await this.messages.export(accountId, request);
    breakOffWhenStalled(reply.raw);
    return csvFile(lines);
  }
}

/** Whoever names CSV gets it: those who name nothing accept everything, and get JSON. */
function wantsCsv(accept = ''): boolean {
  return /(^|,)\s*text\/csv\s*(;|,|$)/i.test(accept);
}

function csvFile(lines: Readable): StreamableFile {
  return new StreamableFile(lines, {
    type: 'text/csv; charset=utf-8',
    disposition: 'attachment; filename="messages.csv"',
  });
}
