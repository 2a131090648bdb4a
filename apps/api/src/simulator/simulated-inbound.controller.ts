import { Body, Controller, Headers, HttpCode, Post, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { FastifyReply } from 'fastify';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { IDEMPOTENCY_KEY, described, exampleBodies } from '../docs/described.ts';
import { type Answer, answer } from '../http/answer.ts';
import { SimulatedInbound } from '../inbound/inbound.dto.ts';
import { SIMULATED_ANSWER, SIMULATED_BODIES } from '../inbound/inbound.examples.ts';
import { SimulatedCustomers } from './simulated-customers.ts';

const PATH = '/v1/simulator/inbound';

/** There only while the simulator's phones remember what they receive. */
@ApiTags('Simulator')
@Controller(PATH)
export class SimulatedInboundController {
  constructor(private readonly customers: SimulatedCustomers) {}

  /** Lets a customer write to one of the account's senders, as the simulated provider would tell of it. */
  @Post()
  @HttpCode(200)
  @RequiresScope('send')
  @ApiOperation({
    operationId: 'simulateInbound',
    summary: 'Write as a customer',
    description:
      'The message is taken in as a callback of the simulated provider; a moment later it is listed under the `id` of this answer. Scope: `send`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody(exampleBodies(SimulatedInbound, SIMULATED_BODIES))
  @ApiResponse(described(200, 'Taken in', SIMULATED_ANSWER))
  async write(
    @CurrentAccount() { accountId }: KeyHolder,
    @Body() request: SimulatedInbound,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer<{ id: string }>> {
    const call = { accountId, path: PATH, request, idempotencyKey, reply };
    return answer(await this.customers.write(call, request), 'The message was taken in.');
  }
}
