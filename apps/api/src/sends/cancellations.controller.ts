import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, answer } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { CancellationView } from './cancellation.view.ts';
import { CancelRequest } from './sends.dto.ts';
import * as examples from './sends.examples.ts';
import { SendsService } from './sends.service.ts';

const params = { cancellationId: { example: examples.CANCELLATION_ID } };

@ApiTags('Messages')
@Controller('v1/messages')
export class CancellationsController {
  constructor(private readonly sends: SendsService) {}

  @Post('cancel')
  @Endpoint({
    id: 'cancelMessages',
    cost: 50,
    scope: 'send',
    summary: 'Cancel the pending messages of all sends that match',
    description:
      'Sends accepted before the call are cancelled one after the other, the newest first: their messages that no gateway has yet fail with errCode 902. With `dryRun` nothing is cancelled, and the answer has status 200 and no id.',
    status: 201,
    idempotent: true,
    body: exampleBodies(CancelRequest, examples.CANCEL_BODIES),
    data: CancellationView,
    answer: examples.CANCEL_STARTED_ANSWER,
    returns: 'The new cancellation.',
    dryRun: examples.CANCEL_COUNTED_ANSWER,
  })
  async cancel(
    @CurrentCall() call: RepeatableCall,
    @Body() request: CancelRequest,
  ): Promise<Answer<CancellationView>> {
    if (!request.dryRun)
      return answer(await this.sends.start({ ...call, request }), 'The cancellation was started.');
    call.reply.status(200);
    return answer(await this.sends.preview(call.accountId, request), 'Nothing was cancelled.');
  }

  @Get('cancellations/:cancellationId')
  @Endpoint({
    id: 'getCancellation',
    scope: 'send',
    summary: 'Get the progress of a cancellation',
    params,
    data: CancellationView,
    answer: examples.CANCELLATION_ANSWER,
    returns: 'The cancellation.',
  })
  async get(
    @CurrentAccount() accountId: string,
    @Param('cancellationId') id: string,
  ): Promise<Answer<CancellationView>> {
    return answer(await this.sends.get(accountId, id), 'The cancellation was found.');
  }

  @Post('cancellations/:cancellationId/stop')
  @Endpoint({
    id: 'stopCancellation',
    scope: 'send',
    summary: 'Stop a cancellation',
    description: 'Cancelled messages stay cancelled. A finished cancellation keeps its status.',
    params,
    data: CancellationView,
    answer: examples.CANCELLATION_STOPPED_ANSWER,
    returns: 'The cancellation.',
  })
  async stop(
    @CurrentAccount() accountId: string,
    @Param('cancellationId') id: string,
  ): Promise<Answer<CancellationView>> {
    return answer(await this.sends.stop(accountId, id), 'The cancellation has ended.');
  }
}
