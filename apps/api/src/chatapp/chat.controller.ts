import { Body, Controller, Post, Query } from '@nestjs/common';
import { Type } from 'typebox';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { plain } from '../http/answer.ts';
import { Direct } from '../http/direct-endpoints.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { SendQuery } from '../sending/send-options.dto.ts';
import { SendResult } from '../sending/send-result.ts';
import { ChatMessageRequest } from './chat-message.dto.ts';
import * as examples from './chat.examples.ts';
import { ChatDryRun, ChatService } from './chat.service.ts';

@Endpoints('Chat-app messages', { scope: 'send' })
@Controller('v1/chatapp')
export class ChatController {
  constructor(private readonly chat: ChatService) {}

  @Post()
  @Direct()
  @Endpoint({
    traffic: true,
    unlimited: true,
    summary: 'Send a chat-app message',
    description:
      'Sends a template, an interactive message, a text, an image, a video or a document to one recipient. A 200 means that the message is on disk; its reports follow. With `dryRun=true` nothing is stored or sent, and the response shows the message as the recipient would see it.',
    idempotent: true,
    body: examples.CHAT_BODIES,
    answer: plain(Type.Union([SendResult, ChatDryRun]), examples.CHAT_ANSWER),
    returns: 'The id of the accepted message.',
  })
  sendChatMessage(
    @CurrentCall() call: RepeatableCall,
    @Body() request: ChatMessageRequest,
    @Query() { dryRun }: SendQuery,
  ): Promise<SendResult | ChatDryRun> {
    return dryRun === 'true'
      ? this.chat.dryRun({ ...call, request })
      : this.chat.accept({ ...call, request });
  }
}
