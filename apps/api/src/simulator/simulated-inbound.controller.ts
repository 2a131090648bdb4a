import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, DELETED, answer } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { SimulatedInbound } from '../inbound/inbound.dto.ts';
import { SIMULATED_ANSWER, SIMULATED_BODIES } from '../inbound/inbound.examples.ts';
import { SimulatedCustomers } from './simulated-customers.ts';

@ApiTags('Simulator')
@Controller('v1/simulator/inbound')
export class SimulatedInboundController {
  constructor(private readonly customers: SimulatedCustomers) {}

  @Post()
  @Endpoint({
    id: 'simulateInbound',
    traffic: true,
    scope: 'send',
    summary: 'Send an inbound message as a simulated customer',
    description:
      'Writes a text, taps a button or chooses a row of a list. The message arrives as one of the simulated gateway; a moment later it is listed under the returned `id`.',
    idempotent: true,
    body: exampleBodies(SimulatedInbound, SIMULATED_BODIES),
    data: DELETED,
    answer: SIMULATED_ANSWER,
    returns: 'The id under which the message will be listed.',
  })
  async write(
    @CurrentCall() call: RepeatableCall,
    @Body() request: SimulatedInbound,
  ): Promise<Answer<{ id: string }>> {
    return answer(await this.customers.write({ ...call, request }), 'The message was received.');
  }
}
