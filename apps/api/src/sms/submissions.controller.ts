import { Controller, Get, Param, Post } from '@nestjs/common';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { SUBMISSION_ID } from '../docs/example-ids.ts';
import { CANCELLATION, PROGRESS } from '../sending/submission-endpoints.ts';
import { SubmissionsService } from '../sending/submissions.service.ts';

@Endpoints('SMS', {
  scope: 'send',
  params: { submissionId: { example: SUBMISSION_ID, description: 'The `id` returned by the send' } },
})
@Controller('v1/sms')
export class SubmissionsController {
  constructor(private readonly submissions: SubmissionsService) {}

  @Get(':submissionId')
  @Endpoint({
    summary: 'Get the progress of a send',
    description:
      'Counts the messages of one send by status. `held` counts pending messages that wait for the end of quiet hours; `cancelled` counts messages that were cancelled.',
    ...PROGRESS,
  })
  getSms(@CurrentAccount() accountId: string, @Param('submissionId') id: string) {
    return this.submissions.get(accountId, 'sms', id);
  }

  @Post(':submissionId/cancel')
  @Endpoint({
    summary: 'Cancel the pending messages of a send',
    description:
      'Messages that no gateway has yet fail with errCode 902, and your webhooks receive their reports. Messages already submitted are unaffected. `cancelled` counts the cancelled messages. A repeat changes nothing.',
    ...CANCELLATION,
  })
  cancelSms(@CurrentCaller() caller: Caller, @Param('submissionId') id: string) {
    return this.submissions.cancel(caller, 'sms', id);
  }
}
