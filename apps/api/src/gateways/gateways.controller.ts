import { Body, Controller, Delete, Get, Param, Patch, Post, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Type } from 'typebox';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { TEXT } from '../docs/model.ts';
import { type Answer, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { SendResult } from '../sending/send-result.ts';
import { ChangeRefusals } from './change-refusals.ts';
import { GatewayTestsService } from './gateway-tests.service.ts';
import { GatewayChange, GatewayRequest, GatewayTest } from './gateway.dto.ts';
import { GatewayStateView, GatewayView } from './gateway.view.ts';
import * as examples from './gateways.examples.ts';
import { GatewaysService } from './gateways.service.ts';

const params = { name: { example: examples.GATEWAY_NAME } };

@ApiTags('Gateways')
@Controller('v1/gateways')
export class GatewaysController {
  constructor(
    private readonly gateways: GatewaysService,
    private readonly tests: GatewayTestsService,
  ) {}

  @Post()
  @Endpoint({
    id: 'createGateway',
    scope: 'ops',
    summary: 'Create a gateway',
    description:
      'Workers open it within two seconds. As soon as a channel has an enabled gateway, it no longer uses the simulator. A channel with several enabled gateways needs a route.',
    status: 201,
    idempotent: true,
    body: exampleBodies(GatewayRequest, examples.GATEWAY_BODIES),
    data: GatewayView,
    answer: examples.GATEWAY_CREATED,
    returns: 'The new gateway.',
  })
  async create(
    @CurrentCall() call: RepeatableCall,
    @Body() request: GatewayRequest,
  ): Promise<Answer<GatewayView>> {
    return answer(await this.gateways.create({ ...call, request }), 'The gateway was created.');
  }

  @Get()
  @Endpoint({
    id: 'listGateways',
    scope: 'ops',
    summary: 'List gateways',
    description: 'All gateways with their states, by name. `nextCursor` is always null.',
    entries: GatewayView,
    answer: examples.GATEWAYS_ANSWER,
    returns: 'The gateways.',
  })
  async list(): Promise<ListAnswer<GatewayView>> {
    return listAnswer({ page: await this.gateways.list(), nextCursor: null }, 'gateway');
  }

  @Get(':name')
  @Endpoint({
    id: 'getGateway',
    scope: 'ops',
    summary: 'Get a gateway',
    description: 'Shows which credentials are set, and never their values.',
    params,
    data: GatewayView,
    answer: examples.GATEWAY_ANSWER,
    returns: 'The gateway.',
  })
  async get(@Param('name') name: string): Promise<Answer<GatewayView>> {
    return answer(await this.gateways.get(name), 'The gateway was found.');
  }

  @Patch(':name')
  @Endpoint({
    id: 'changeGateway',
    scope: 'ops',
    summary: 'Change a gateway',
    description:
      'Fields, settings and credentials that the body omits keep their values; null removes a setting or a credential. Name, channel and kind cannot change. The change takes effect within two seconds; a connection that it concerns is drained and opened again.',
    params,
    body: exampleBodies(GatewayChange, examples.GATEWAY_CHANGES),
    data: GatewayView,
    answer: examples.GATEWAY_CHANGED,
    returns: 'The changed gateway.',
  })
  @UseInterceptors(ChangeRefusals)
  async change(@Param('name') name: string, @Body() change: GatewayChange): Promise<Answer<GatewayView>> {
    return answer(await this.gateways.change(name, change), 'The gateway was changed.');
  }

  @Delete(':name')
  @Endpoint({
    id: 'deleteGateway',
    scope: 'ops',
    summary: 'Delete a gateway',
    description:
      'Workers drain it and close it. A gateway that a route names cannot be deleted. Later reports of its messages are lost: disable it instead while messages wait for their reports.',
    params,
    data: Type.Object({ name: TEXT }),
    answer: examples.GATEWAY_DELETED,
    returns: 'The name of the deleted gateway.',
  })
  async delete(@Param('name') name: string): Promise<Answer<{ name: string }>> {
    return answer(await this.gateways.delete(name), 'The gateway was deleted.');
  }

  @Get(':name/state')
  @Endpoint({
    id: 'getGatewayState',
    scope: 'ops',
    summary: 'Get the state of a gateway',
    description: 'Shows what each worker sees, with a reason and the figures of the kind.',
    params,
    data: GatewayStateView,
    answer: examples.STATE_ANSWER,
    returns: 'The state over all workers, and that of each of them.',
  })
  async state(@Param('name') name: string): Promise<Answer<GatewayStateView>> {
    const state = await this.gateways.state(name);
    return answer(state, state.reason);
  }

  @Post(':name/test')
  @Endpoint({
    id: 'testGateway',
    scope: 'ops',
    summary: 'Send one message through a gateway',
    description:
      'The message belongs to your account and is charged like any other. Routes and failover do not apply to it; it waits up to ten minutes for the gateway.',
    idempotent: true,
    params,
    body: exampleBodies(GatewayTest, examples.TEST_BODIES),
    schema: SendResult,
    answer: examples.TEST_ANSWER,
    returns: 'The id of the message; follow it with `/v1/messages/{messageId}`.',
  })
  test(
    @CurrentCall() call: RepeatableCall,
    @Param('name') name: string,
    @Body() request: GatewayTest,
  ): Promise<SendResult> {
    return this.tests.send({ ...call, request }, name);
  }

  @Post(':name/pause')
  @Endpoint({
    id: 'pauseGateway',
    scope: 'ops',
    summary: 'Pause a gateway',
    description:
      'It submits nothing and still takes reports. Its messages go to other gateways of their routes, or wait.',
    params,
    data: GatewayView,
    answer: examples.GATEWAY_PAUSED,
    returns: 'The paused gateway.',
  })
  async pause(@Param('name') name: string): Promise<Answer<GatewayView>> {
    return answer(await this.gateways.change(name, { paused: true }), 'The gateway was paused.');
  }

  @Post(':name/resume')
  @Endpoint({
    id: 'resumeGateway',
    scope: 'ops',
    summary: 'Resume a gateway',
    params,
    data: GatewayView,
    answer: examples.GATEWAY_RESUMED,
    returns: 'The resumed gateway.',
  })
  async resume(@Param('name') name: string): Promise<Answer<GatewayView>> {
    return answer(await this.gateways.change(name, { paused: false }), 'The gateway was resumed.');
  }

  @Delete(':name/id-rule')
  @Endpoint({
    id: 'revokeIdRule',
    scope: 'ops',
    summary: 'Revoke the id rule of a gateway',
    description:
      'The rule says in which form the gateway reports the ids that it answered; it is learned from reports that matched. A revoked form is not learned again.',
    params,
    data: GatewayView,
    answer: examples.RULE_REVOKED,
    returns: 'The gateway, without a rule.',
  })
  async revokeIdRule(@Param('name') name: string): Promise<Answer<GatewayView>> {
    return answer(await this.gateways.revokeIdRule(name), 'The id rule was revoked.');
  }
}
