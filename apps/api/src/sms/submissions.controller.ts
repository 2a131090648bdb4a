import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, answer } from '../http/answer.ts';
import type { SubmissionView } from '../sending/submission.view.ts';
import { CANCELLATION, PROGRESS, cancelled } from '../sending/submission-endpoints.ts';
import { SUBMISSION_ID } from '../sending/submissions.examples.ts';
import { SubmissionsService } from '../sending/submissions.service.ts';

const params = { submissionId: { example: SUBMISSION_ID, description: 'The `id` returned by the send' } };

@ApiTags('SMS')
@Controller('v1/sms')
export class SubmissionsController {
  constructor(private readonly submissions: SubmissionsService) {}

  @Get(':submissionId')
  @Endpoint({
    id: 'getSms',
    summary: 'Get the progress of a send',
    description:
      'Counts the messages of one send by status. `held` counts pending messages that wait for the end of quiet hours; `cancelled` counts messages that were cancelled.',
    params,
    ...PROGRESS,
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
    summary: 'Cancel the pending messages of a send',
    description:
      'Messages that no gateway has yet fail with errCode 902, and your webhooks receive their reports. Messages already submitted are unaffected. `cancelled` counts the cancelled messages. A repeat changes nothing.',
    params,
    ...CANCELLATION,
  })
  async cancel(
    @CurrentAccount() accountId: string,
    @Param('submissionId') id: string,
  ): Promise<Answer<SubmissionView>> {
    return cancelled(await this.submissions.cancel(accountId, 'sms', id));
  }
}
