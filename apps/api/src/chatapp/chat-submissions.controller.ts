import { Controller, Param, Post } from '@nestjs/common';
import { type Caller, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { SUBMISSION_ID } from '../docs/example-ids.ts';
import { dataOf } from '../http/answer.ts';
import { CANCELLATION } from '../sending/submission-endpoints.ts';
import { SubmissionView } from '../sending/submission.view.ts';
import { SubmissionsService } from '../sending/submissions.service.ts';
import { CHAT_CANCEL } from './chat.examples.ts';

@Endpoints('Chat-app messages', {
  scope: 'send',
  params: { submissionId: { example: SUBMISSION_ID, description: 'The `id` returned by the send' } },
})
@Controller('v1/chatapp')
export class ChatSubmissionsController {
  constructor(private readonly submissions: SubmissionsService) {}

  @Post(':submissionId/cancel')
  @Endpoint({
    summary: 'Cancel a pending message',
    description:
      'A message that no gateway has yet fails with errCode 902, and your webhooks receive its report; `cancelled` is then 1. A repeat changes nothing.',
    ...CANCELLATION,
    answer: dataOf(SubmissionView, CHAT_CANCEL, outcomeOf),
  })
  cancelChatMessage(@CurrentCaller() caller: Caller, @Param('submissionId') id: string) {
    return this.submissions.cancel(caller, 'chatapp', id);
  }
}

function outcomeOf({ cancelled }: SubmissionView): string {
  if (cancelled === 1) return 'The message was cancelled.';
  return 'The message was not cancelled: it is on its way.';
}
