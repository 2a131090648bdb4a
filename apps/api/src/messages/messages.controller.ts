import { Controller, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/api-keys';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { described } from '../docs/described.ts';
import { type Answer, answer } from '../http/answer.ts';
import type { MessageView } from './message.view.ts';
import { MESSAGE_ANSWER, MESSAGE_ID } from './messages.examples.ts';
import { MessagesService } from './messages.service.ts';

@ApiTags('Messages')
@Controller('v1/messages')
export class MessagesController {
  constructor(private readonly messages: MessagesService) {}

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
  async get(@CurrentAccount() caller: KeyHolder, @Param('messageId') messageId: string): Promise<Answer<MessageView>> {
    return answer(await this.messages.get(caller.accountId, messageId), 'The message was found.');
  }
}
