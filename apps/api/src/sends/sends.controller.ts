import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { SentQuery } from '../http/sent-query.ts';
import { SubmissionView } from '../sending/submission.view.ts';
import { CANCELLATION, PROGRESS, cancelled } from '../sending/submission-endpoints.ts';
import { SUBMISSION_ID } from '../sending/submissions.examples.ts';
import { SubmissionsService } from '../sending/submissions.service.ts';
import { SENDS_ANSWER } from './sends.examples.ts';
import { SendsService } from './sends.service.ts';

const params = { sendId: { example: SUBMISSION_ID, description: 'The `id` returned by the send' } };

@ApiTags('Messages')
@Controller('v1/sends')
export class SendsController {
  constructor(
    private readonly sends: SendsService,
    private readonly submissions: SubmissionsService,
  ) {}

  @Get()
  @Endpoint({
    id: 'listSends',
    cost: 5,
    scope: 'send',
    summary: 'List sends with their progress',
    description:
      'Sends of both channels, newest first. A page may hold fewer sends than `limit` although more follow: continue until `nextCursor` is null.',
    entries: SubmissionView,
    answer: SENDS_ANSWER,
    returns: 'One page of sends.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Query() query: SentQuery,
  ): Promise<ListAnswer<SubmissionView>> {
    return listAnswer(await this.sends.list(accountId, query), 'send');
  }

  @Get(':sendId')
  @Endpoint({
    id: 'getSend',
    summary: 'Get the progress of a send of either channel',
    params,
    ...PROGRESS,
  })
  async get(
    @CurrentAccount() accountId: string,
    @Param('sendId') id: string,
  ): Promise<Answer<SubmissionView>> {
    return answer(await this.submissions.get(accountId, null, id), 'The send was found.');
  }

  @Post(':sendId/cancel')
  @Endpoint({
    id: 'cancelSend',
    summary: 'Cancel the pending messages of a send of either channel',
    description:
      'Messages that no gateway has yet fail with errCode 902, and your webhooks receive their reports. Messages already submitted are unaffected. A repeat changes nothing.',
    params,
    ...CANCELLATION,
  })
  async cancel(
    @CurrentAccount() accountId: string,
    @Param('sendId') id: string,
  ): Promise<Answer<SubmissionView>> {
    return cancelled(await this.submissions.cancel(accountId, null, id));
  }
}
