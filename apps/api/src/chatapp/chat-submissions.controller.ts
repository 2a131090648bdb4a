import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { described } from '../docs/described.ts';
import { type Answer, answer } from '../http/answer.ts';
import type { SubmissionView } from '../sending/submission.view.ts';
import { SUBMISSION_ID } from '../sending/submissions.examples.ts';
import { SubmissionsService } from '../sending/submissions.service.ts';
import { CHAT_CANCEL_ANSWER } from './chat.examples.ts';

@ApiTags('Chat-app messages')
@Controller('v1/chatapp')
export class ChatSubmissionsController {
  constructor(private readonly submissions: SubmissionsService) {}

  /** Cancels a message that is not with its gateway yet. It ends Failed, and webhooks hear of it. */
  @Post(':submissionId/cancel')
  @HttpCode(200)
  @RequiresScope('send')
  @ApiOperation({
    operationId: 'cancelChatMessage',
    summary: 'Cancel a message that still waits',
    description:
      'A message that its gateway does not have yet ends Failed with errCode 902, and webhooks hear of it; `cancelled` says whether. A repeat changes nothing. Scope: `send`.',
  })
  @ApiParam({
    name: 'submissionId',
    example: SUBMISSION_ID,
    description: 'The `id` that the answer to the send gave',
  })
  @ApiResponse(described(200, 'The send, with what was cancelled', CHAT_CANCEL_ANSWER))
  async cancel(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('submissionId') id: string,
  ): Promise<Answer<SubmissionView>> {
    const view = await this.submissions.cancel(accountId, 'chatapp', id);
    return answer(
      view,
      view.cancelled === 1
        ? 'The message was cancelled.'
        : 'The message was not cancelled: it is on its way.',
    );
  }
}
