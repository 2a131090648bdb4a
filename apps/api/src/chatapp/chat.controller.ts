import { Body, Controller, Headers, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { FastifyReply } from 'fastify';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { IDEMPOTENCY_KEY, described, exampleBodies } from '../docs/described.ts';
import { SendQuery } from '../sending/send-options.dto.ts';
import type { SendResult } from '../sending/send-result.ts';
import { ChatMessageRequest } from './chat-message.dto.ts';
import { CHAT_ANSWER, CHAT_BODIES } from './chat.examples.ts';
import { type ChatDryRun, ChatService } from './chat.service.ts';

@ApiTags('Chat-app messages')
@Controller('v1/chatapp')
export class ChatController {
  constructor(private readonly chat: ChatService) {}

  /** Accepts one chat-app message; `type` says which kind (spec 4.5). */
  @Post()
  @HttpCode(200)
  @RequiresScope('send')
  @ApiOperation({
    operationId: 'sendChatMessage',
    summary: 'Send a chat-app message',
    description:
      'A template, an interactive message, a text, an image, a video or a document, to one recipient. A 200 means that it is on disk; its reports follow. With `dryRun=true` nothing is stored or sent, and the answer shows what the recipient would see. Scope: `send`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody(exampleBodies(ChatMessageRequest, CHAT_BODIES))
  @ApiResponse(described(200, 'Accepted', CHAT_ANSWER))
  async send(
    @CurrentAccount() { accountId }: KeyHolder,
    @Body() request: ChatMessageRequest,
    @Query() { dryRun }: SendQuery,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SendResult | ChatDryRun> {
    if (dryRun === 'true') return this.chat.tryOut(accountId, request, reply);
    return this.chat.submit(accountId, request, idempotencyKey, reply);
  }
}
