import { Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, answer } from '../http/answer.ts';
import { CANCELLATION } from '../sending/submission-endpoints.ts';
import type { SubmissionView } from '../sending/submission.view.ts';
import { SUBMISSION_ID } from '../sending/submissions.examples.ts';
import { SubmissionsService } from '../sending/submissions.service.ts';
import { CHAT_CANCEL_ANSWER } from './chat.examples.ts';

const params = { submissionId: { example: SUBMISSION_ID, description: 'The `id` returned by the send' } };

@ApiTags('Chat-app messages')
@Controller('v1/chatapp')
export class ChatSubmissionsController {
  constructor(private readonly submissions: SubmissionsService) {}

  @Post(':submissionId/cancel')
  @Endpoint({
    id: 'cancelChatMessage',
    summary: 'Cancel a pending message',
    description:
      'A message that no gateway has yet fails with errCode 902, and your webhooks receive its report; `cancelled` is then 1. A repeat changes nothing.',
    params,
    ...CANCELLATION,
    answer: CHAT_CANCEL_ANSWER,
  })
  async cancel(
    @CurrentAccount() accountId: string,
    @Param('submissionId') id: string,
  ): Promise<Answer<SubmissionView>> {
    const view = await this.submissions.cancel(accountId, 'chatapp', id);
    return answer(view, outcomeOf(view));
  }
}

function outcomeOf({ cancelled }: SubmissionView): string {
  if (cancelled === 1) return 'The message was cancelled.';
  return 'The message was not cancelled: it is on its way.';
}
