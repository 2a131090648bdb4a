import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { described } from '../docs/described.ts';
import { type Answer, answer } from '../http/answer.ts';
import { type SubmissionView, submissionView } from '../sending/submission.view.ts';
import { CANCEL_ANSWER, SUBMISSION_ANSWER, SUBMISSION_ID } from '../sending/submissions.examples.ts';
import { SubmissionsService } from '../sending/submissions.service.ts';

const ID = {
  name: 'submissionId',
  example: SUBMISSION_ID,
  description: 'The `id` that the answer to the send gave',
};

@ApiTags('SMS')
@Controller('v1/sms')
export class SubmissionsController {
  constructor(private readonly submissions: SubmissionsService) {}

  /** How far one send is: its messages counted by status, and what of them is held or cancelled. */
  @Get(':submissionId')
  @RequiresScope('send')
  @ApiOperation({
    operationId: 'getSms',
    summary: 'Look up how far a send is',
    description:
      'Counts the messages of one send by status. `held` are those that wait for the end of quiet hours, `cancelled` those that were cancelled. Scope: `send`.',
  })
  @ApiParam(ID)
  @ApiResponse(described(200, 'The send', SUBMISSION_ANSWER))
  async get(
    @CurrentAccount() caller: KeyHolder,
    @Param('submissionId') id: string,
  ): Promise<Answer<SubmissionView>> {
    return answer(
      submissionView(await this.submissions.get(caller.accountId, 'sms', id)),
      'The send was found.',
    );
  }

  /** Cancels what of a send is not with a gateway yet. The cancelled messages end Failed, and webhooks hear of them. */
  @Post(':submissionId/cancel')
  @HttpCode(200)
  @RequiresScope('send')
  @ApiOperation({
    operationId: 'cancelSms',
    summary: 'Cancel what of a send still waits',
    description:
      'Messages that no gateway has yet end Failed with errCode 902, and webhooks hear of them; the others go their way. `cancelled` says how many. A repeat changes nothing. Scope: `send`.',
  })
  @ApiParam(ID)
  @ApiResponse(described(200, 'The send, with what was cancelled', CANCEL_ANSWER))
  async cancel(
    @CurrentAccount() caller: KeyHolder,
    @Param('submissionId') id: string,
  ): Promise<Answer<SubmissionView>> {
    const view = submissionView(await this.submissions.cancel(caller.accountId, 'sms', id));
    return answer(
      view,
      view.cancelled === 1 ? '1 message was cancelled.' : `${view.cancelled} messages were cancelled.`,
    );
  }
}
