import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { GATEWAY_KINDS } from '@signalbox/gateways/registry';
import { Endpoint } from '../docs/endpoint.ts';
import { type ListAnswer, listAnswer } from '../http/answer.ts';
import { GatewayKindView, gatewayKindView } from './gateway-kind.view.ts';
import * as examples from './gateways.examples.ts';

@ApiTags('Gateways')
@Controller('v1/gateway-kinds')
export class GatewayKindsController {
  @Get()
  @Endpoint({
    id: 'listGatewayKinds',
    scope: 'ops',
    summary: 'List the kinds of gateways',
    description: 'Each with its channels, settings and credentials. `nextCursor` is always null.',
    entries: GatewayKindView,
    answer: examples.KINDS_ANSWER,
    returns: 'The kinds.',
  })
  list(): ListAnswer<GatewayKindView> {
    return listAnswer({ page: GATEWAY_KINDS.map(gatewayKindView), nextCursor: null }, 'kind');
  }
}
