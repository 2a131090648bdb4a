import { Body, Controller, Delete, Get, Param, Patch, Post, UseInterceptors } from '@nestjs/common';
import { Type } from 'typebox';
import { type Caller, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { TEXT } from '../docs/model.ts';
import { dataOf, pageOf, plain } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { SendResult } from '../sending/send-result.ts';
import { ChangeRefusals } from './change-refusals.ts';
import { GatewayTestsService } from './gateway-tests.service.ts';
import { GatewayChange, GatewayRequest, GatewayTest } from './gateway.dto.ts';
import { GatewayStateView, GatewayView } from './gateway.view.ts';
import * as examples from './gateways.examples.ts';
import { GatewaysService } from './gateways.service.ts';

@Endpoints('Gateways', { scope: 'ops', params: { name: { example: examples.GATEWAY_NAME } } })
@Controller('v1/gateways')
export class GatewaysController {
  constructor(
    private readonly gateways: GatewaysService,
    private readonly tests: GatewayTestsService,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Create a gateway',
    description:
      'Workers open it within two seconds. As soon as a channel has a gateway, it no longer uses the simulator: messages wait while none is enabled. A channel with several enabled gateways needs a route.',
    status: 201,
    idempotent: true,
    body: examples.GATEWAY_BODIES,
    answer: dataOf(GatewayView, examples.GATEWAY, 'The gateway was created.'),
  })
  createGateway(@CurrentCall() call: RepeatableCall, @Body() request: GatewayRequest) {
    return this.gateways.create({ ...call, request });
  }

  @Get()
  @Endpoint({
    summary: 'List gateways',
    description: 'All gateways with their states, by name. `nextCursor` is always null.',
    answer: pageOf(GatewayView, [examples.GATEWAY], 'gateway'),
    returns: 'The gateways.',
  })
  listGateways() {
    return this.gateways.list();
  }

  @Get(':name')
  @Endpoint({
    summary: 'Get a gateway',
    description: 'Shows which credentials are set, and never their values.',
    answer: dataOf(GatewayView, examples.GATEWAY, 'The gateway was found.'),
  })
  getGateway(@Param('name') name: string) {
    return this.gateways.get(name);
  }

  @Patch(':name')
  @Endpoint({
    summary: 'Change a gateway',
    description:
      'Fields, settings and credentials that the body omits keep their values; null removes a setting or a credential. Name, channel and kind cannot change. The change takes effect within two seconds; a connection that it concerns is drained and opened again.',
    body: examples.GATEWAY_CHANGES,
    answer: dataOf(GatewayView, examples.GATEWAY_CHANGED, 'The gateway was changed.'),
  })
  @UseInterceptors(ChangeRefusals)
  changeGateway(@CurrentCaller() caller: Caller, @Param('name') name: string, @Body() change: GatewayChange) {
    return this.gateways.change(caller, name, change);
  }

  @Delete(':name')
  @Endpoint({
    summary: 'Delete a gateway',
    description:
      'Workers drain it and close it. A gateway that a route names cannot be deleted. Later reports of its messages are lost: disable it instead while messages wait for their reports. Without the last gateway of its channel, the simulator takes the messages, and sends nothing.',
    answer: dataOf(Type.Object({ name: TEXT }), { name: 'simulator-2' }, 'The gateway was deleted.'),
  })
  deleteGateway(@CurrentCaller() caller: Caller, @Param('name') name: string) {
    return this.gateways.delete(caller, name);
  }

  @Get(':name/state')
  @Endpoint({
    summary: 'Get the state of a gateway',
    description: 'Shows what each worker sees, with a reason and the figures of the kind.',
    answer: dataOf(GatewayStateView, examples.STATE, (state) => state.reason),
    returns: 'The state over all workers, and that of each of them.',
  })
  getGatewayState(@Param('name') name: string) {
    return this.gateways.state(name);
  }

  @Post(':name/test')
  @Endpoint({
    summary: 'Send one message through a gateway',
    description:
      'The message belongs to your account and is charged like any other. Routes and failover do not apply to it; it waits up to ten minutes for the gateway.',
    idempotent: true,
    body: examples.TEST_BODIES,
    answer: plain(SendResult, examples.TEST_ANSWER),
    returns: 'The id of the message; follow it with `/v1/messages/{messageId}`.',
  })
  testGateway(
    @CurrentCall() call: RepeatableCall,
    @Param('name') name: string,
    @Body() request: GatewayTest,
  ): Promise<SendResult> {
    return this.tests.send({ ...call, request }, name);
  }

  @Post(':name/pause')
  @Endpoint({
    summary: 'Pause a gateway',
    description:
      'It submits nothing and still takes reports. Its messages go to other gateways of their routes, or wait.',
    answer: dataOf(GatewayView, examples.GATEWAY_PAUSED, 'The gateway was paused.'),
  })
  pauseGateway(@CurrentCaller() caller: Caller, @Param('name') name: string) {
    return this.gateways.change(caller, name, { paused: true });
  }

  @Post(':name/resume')
  @Endpoint({
    summary: 'Resume a gateway',
    answer: dataOf(GatewayView, examples.GATEWAY, 'The gateway was resumed.'),
  })
  resumeGateway(@CurrentCaller() caller: Caller, @Param('name') name: string) {
    return this.gateways.change(caller, name, { paused: false });
  }

  @Delete(':name/id-rule')
  @Endpoint({
    summary: 'Revoke the id rule of a gateway',
    description:
      'The rule says in which form the gateway reports the ids that it returned; it is learned from reports that matched. A revoked form is not learned again.',
    answer: dataOf(GatewayView, examples.GATEWAY, 'The id rule was revoked.'),
    returns: 'The gateway, without a rule.',
  })
  revokeIdRule(@CurrentCaller() caller: Caller, @Param('name') name: string) {
    return this.gateways.revokeIdRule(caller, name);
  }
}
