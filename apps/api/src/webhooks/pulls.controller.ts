import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Type } from 'typebox';
import { CurrentAccount } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, answer, counted } from '../http/answer.ts';
import { PullRequest, PullResultsRequest } from './pull.dto.ts';
import { PullResultsView, PulledCallView } from './pull.view.ts';
import * as examples from './pulls.examples.ts';
import { PULL_SECONDS, PullsService } from './pulls.service.ts';
import { WEBHOOK_ID } from './webhooks.examples.ts';

const WEBHOOK = { id: { example: WEBHOOK_ID } };

@ApiTags('Webhooks')
@Controller('v1/webhooks/:id')
export class PullsController {
  constructor(private readonly pulls: PullsService) {}

  @Post('pull')
  @Endpoint({
    id: 'pullDeliveries',
    scope: 'webhooks',
    traffic: true,
    summary: 'Take due deliveries of a webhook to make the calls yourself',
    description: `For a program that no call can reach. Returns the oldest due deliveries as signed calls, claimed for ${PULL_SECONDS} seconds: without a result by then they are due again. The webhook is disabled by the first pull, so that nothing else calls its endpoint; enabling it ends that until the next pull.`,
    params: WEBHOOK,
    body: exampleBodies(PullRequest, examples.PULL_BODIES),
    data: Type.Array(PulledCallView),
    answer: examples.PULLED_ANSWER,
    returns: 'The calls to make; none when no delivery is due.',
  })
  async pull(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
    @Body() { limit }: PullRequest,
  ): Promise<Answer<PulledCallView[]>> {
    const calls = await this.pulls.pull(accountId, id, limit);
    return answer(calls, `${counted(calls.length, 'delivery', 'deliveries')}.`);
  }

  @Post('results')
  @Endpoint({
    id: 'recordDeliveryResults',
    scope: 'webhooks',
    traffic: true,
    summary: 'Record the results of pulled deliveries',
    description:
      'A delivery with a status of 200 to 299 is done. Another one is due again by the schedule of the webhook, or exhausted at its end. A repeat changes nothing.',
    params: WEBHOOK,
    body: exampleBodies(PullResultsRequest, examples.RESULT_BODIES),
    data: PullResultsView,
    answer: examples.RECORDED_ANSWER,
    returns: 'The counts of results.',
  })
  async record(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
    @Body() request: PullResultsRequest,
  ): Promise<Answer<PullResultsView>> {
    return answer(await this.pulls.record(accountId, id, request), 'The results were recorded.');
  }
}
