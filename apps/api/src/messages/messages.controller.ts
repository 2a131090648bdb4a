import { Controller, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/api-keys';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { type Answer, answer } from '../http/answer.ts';
import type { MessageView } from './message.view.ts';
import { MessagesService } from './messages.service.ts';

@ApiTags('Messages')
@Controller('v1/messages')
export class MessagesController {
  constructor(private readonly messages: MessagesService) {}

  /** What happened to one message: its status, and its timeline of reports and pushes. */
  @Get(':messageId')
  @RequiresScope('send')
  @ApiOperation({ summary: 'Look up a message and its timeline' })
  async get(@CurrentAccount() caller: KeyHolder, @Param('messageId') messageId: string): Promise<Answer<MessageView>> {
    return answer(await this.messages.get(caller.accountId, messageId), 'The message was found.');
  }
}
