import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { SUBMISSION_ID } from '../docs/example-ids.ts';
import { pageOf } from '../http/answer.ts';
import { SentQuery } from '../http/sent-query.ts';
import { SubmissionView } from '../sending/submission.view.ts';
import { CANCELLATION, PROGRESS } from '../sending/submission-endpoints.ts';
import { SUBMISSION } from '../sending/submissions.examples.ts';
import { SubmissionsService } from '../sending/submissions.service.ts';
import { SendsService } from './sends.service.ts';

@Endpoints('Messages', {
  scope: 'send',
  params: { sendId: { example: SUBMISSION_ID, description: 'The `id` returned by the send' } },
})
@Controller('v1/sends')
export class SendsController {
  constructor(
    private readonly sends: SendsService,
    private readonly submissions: SubmissionsService,
  ) {}

  @Get()
  @Endpoint({
    cost: 5,
    summary: 'List sends with their progress',
    description:
      'Sends of both channels, newest first. A page may hold fewer sends than `limit` although more follow: continue until `nextCursor` is null.',
    answer: pageOf(SubmissionView, [SUBMISSION], 'send'),
  })
  listSends(@CurrentAccount() accountId: string, @Query() query: SentQuery) {
    return this.sends.list(accountId, query);
  }

  @Get(':sendId')
  @Endpoint({
    summary: 'Get the progress of a send of either channel',
    ...PROGRESS,
  })
  getSend(@CurrentAccount() accountId: string, @Param('sendId') id: string) {
    return this.submissions.get(accountId, null, id);
  }

  @Post(':sendId/cancel')
  @Endpoint({
    summary: 'Cancel the pending messages of a send of either channel',
    description:
      'Messages that no gateway has yet fail with errCode 902, and your webhooks receive their reports. Messages already submitted are unaffected. A repeat changes nothing.',
    ...CANCELLATION,
  })
  cancelSend(@CurrentCaller() caller: Caller, @Param('sendId') id: string) {
    return this.submissions.cancel(caller, null, id);
  }
}
