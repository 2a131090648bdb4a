import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, answer, counted } from '../http/answer.ts';
import { SubmissionView } from '../sending/submission.view.ts';
import { CANCEL_ANSWER, SUBMISSION_ANSWER, SUBMISSION_ID } from '../sending/submissions.examples.ts';
import { SubmissionsService } from '../sending/submissions.service.ts';

const params = { submissionId: { example: SUBMISSION_ID, description: 'The `id` returned by the send' } };

@ApiTags('SMS')
@Controller('v1/sms')
export class SubmissionsController {
  constructor(private readonly submissions: SubmissionsService) {}

  @Get(':submissionId')
  @Endpoint({
    id: 'getSms',
    scope: 'send',
    summary: 'Get the progress of a send',
    description:
      'Counts the messages of one send by status. `held` counts pending messages that wait for the end of quiet hours; `cancelled` counts messages that were cancelled.',
    params,
    data: SubmissionView,
    answer: SUBMISSION_ANSWER,
    returns: 'The send and its message counts.',
  })
  async get(
    @CurrentAccount() accountId: string,
    @Param('submissionId') id: string,
  ): Promise<Answer<SubmissionView>> {
    return answer(await this.submissions.get(accountId, 'sms', id), 'The send was found.');
  }

  @Post(':submissionId/cancel')
  @Endpoint({
    id: 'cancelSms',
    scope: 'send',
    summary: 'Cancel the pending messages of a send',
    description:
      'Messages that no gateway has yet fail with errCode 902, and your webhooks receive their reports. Messages already submitted are unaffected. `cancelled` counts the cancelled messages. A repeat changes nothing.',
    params,
    data: SubmissionView,
    answer: CANCEL_ANSWER,
    returns: 'The send and its message counts after the cancellation.',
  })
  async cancel(
    @CurrentAccount() accountId: string,
    @Param('submissionId') id: string,
  ): Promise<Answer<SubmissionView>> {
    const view = await this.submissions.cancel(accountId, 'sms', id);
    return answer(view, `${counted(view.cancelled, 'message was', 'messages were')} cancelled.`);
  }
}
