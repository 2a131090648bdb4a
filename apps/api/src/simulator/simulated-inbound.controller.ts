import { Body, Controller, Post } from '@nestjs/common';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { INBOUND_ID } from '../docs/example-ids.ts';
import { DELETED, dataOf } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { SimulatedInbound } from '../inbound/inbound.dto.ts';
import { SIMULATED_BODIES } from '../inbound/inbound.examples.ts';
import { SimulatedCustomers } from './simulated-customers.ts';

@Endpoints('Simulator', { scope: 'send' })
@Controller('v1/simulator/inbound')
export class SimulatedInboundController {
  constructor(private readonly customers: SimulatedCustomers) {}

  @Post()
  @Endpoint({
    traffic: true,
    summary: 'Send an inbound message as a simulated customer',
    description:
      'Writes a text, taps a button or chooses a row of a list. The message arrives as one of the simulated gateway; a moment later it is listed under the returned `id`.',
    idempotent: true,
    body: SIMULATED_BODIES,
    answer: dataOf(DELETED, { id: INBOUND_ID }, 'The message was received.'),
    returns: 'The id under which the message will be listed.',
  })
  simulateInbound(@CurrentCall() call: RepeatableCall, @Body() request: SimulatedInbound) {
    return this.customers.write({ ...call, request });
  }
}
