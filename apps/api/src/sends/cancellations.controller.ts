import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { dataOf } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { CancellationView } from './cancellation.view.ts';
import { CancelRequest } from './sends.dto.ts';
import * as examples from './sends.examples.ts';
import { SendsService } from './sends.service.ts';

@Endpoints('Messages', { scope: 'send', params: { cancellationId: { example: examples.CANCELLATION_ID } } })
@Controller('v1/messages')
export class CancellationsController {
  constructor(private readonly sends: SendsService) {}

  @Post('cancel')
  @Endpoint({
    cost: 50,
    summary: 'Cancel the pending messages of all sends that match',
    description:
      'Sends accepted before the call are cancelled one after the other, the newest first: their messages that no gateway has yet fail with errCode 902. With `dryRun` nothing is cancelled, and the response has status 200 and no id.',
    status: 201,
    idempotent: true,
    body: examples.CANCEL_BODIES,
    answer: dataOf(CancellationView, examples.RUNNING, ({ id }) =>
      id === null ? 'Nothing was cancelled.' : 'The cancellation was started.',
    ),
    returns: 'The new cancellation.',
    dryRun: examples.CANCEL_COUNTED,
  })
  cancelMessages(@CurrentCall() call: RepeatableCall, @Body() request: CancelRequest) {
    if (!request.dryRun) return this.sends.start({ ...call, request });
    call.reply.status(200);
    return this.sends.preview(call.accountId, request);
  }

  @Get('cancellations/:cancellationId')
  @Endpoint({
    summary: 'Get the progress of a cancellation',
    answer: dataOf(CancellationView, examples.CANCELLATION, 'The cancellation was found.'),
  })
  getCancellation(@CurrentAccount() accountId: string, @Param('cancellationId') id: string) {
    return this.sends.get(accountId, id);
  }

  @Post('cancellations/:cancellationId/stop')
  @Endpoint({
    summary: 'Stop a cancellation',
    description: 'Cancelled messages stay cancelled. A finished cancellation keeps its status.',
    answer: dataOf(CancellationView, examples.CANCELLATION, 'The cancellation has ended.'),
  })
  stopCancellation(@CurrentCaller() caller: Caller, @Param('cancellationId') id: string) {
    return this.sends.stop(caller, id);
  }
}
