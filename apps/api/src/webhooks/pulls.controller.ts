import { Body, Controller, Param, Post } from '@nestjs/common';
import { Type } from 'typebox';
import { type Caller, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { WEBHOOK_ID } from '../docs/example-ids.ts';
import { counted, dataOf } from '../http/answer.ts';
import { PullRequest, PullResultsRequest } from './pull.dto.ts';
import { PullResultsView, PulledCallView } from './pull.view.ts';
import * as examples from './pulls.examples.ts';
import { PULL_SECONDS, PullsService } from './pulls.service.ts';

const WEBHOOK = { id: { example: WEBHOOK_ID } };

@Endpoints('Webhooks', { scope: 'webhooks', params: WEBHOOK })
@Controller('v1/webhooks/:id')
export class PullsController {
  constructor(private readonly pulls: PullsService) {}

  @Post('pull')
  @Endpoint({
    traffic: true,
    summary: 'Take due deliveries of a webhook to make the calls yourself',
    description: `For a program that no call can reach. Returns the oldest due deliveries as signed calls, claimed for ${PULL_SECONDS} seconds: without a result by then they are due again. The webhook is disabled by the first pull, so that nothing else calls its endpoint; enabling it ends that until the next pull.`,
    body: examples.PULL_BODIES,
    answer: dataOf(
      Type.Array(PulledCallView),
      examples.PULLED,
      (calls) => `${counted(calls.length, 'delivery')}.`,
    ),
    returns: 'The calls to make; none when no delivery is due.',
  })
  pullDeliveries(@CurrentCaller() caller: Caller, @Param('id') id: string, @Body() { limit }: PullRequest) {
    return this.pulls.pull(caller, id, limit);
  }

  @Post('results')
  @Endpoint({
    traffic: true,
    summary: 'Record the results of pulled deliveries',
    description:
      'A delivery with a status of 200 to 299 is done. Another one is due again by the schedule of the webhook, or exhausted at its end. A repeat changes nothing.',
    body: examples.RESULT_BODIES,
    answer: dataOf(PullResultsView, examples.RECORDED, 'The results were recorded.'),
    returns: 'The counts of results.',
  })
  recordDeliveryResults(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() request: PullResultsRequest,
  ) {
    return this.pulls.record(caller, id, request);
  }
}
