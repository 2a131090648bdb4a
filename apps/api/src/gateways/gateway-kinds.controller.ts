import { Controller, Get } from '@nestjs/common';
import { GATEWAY_KINDS } from '@signalbox/gateways/registry';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { pageOf } from '../http/answer.ts';
import { GatewayKindView, gatewayKindView } from './gateway-kind.view.ts';
import * as examples from './gateways.examples.ts';

@Endpoints('Gateways', { scope: 'ops' })
@Controller('v1/gateway-kinds')
export class GatewayKindsController {
  @Get()
  @Endpoint({
    summary: 'List the kinds of gateways',
    description: 'Each with its channels, settings, credentials and presets. `nextCursor` is always null.',
    answer: pageOf(GatewayKindView, examples.KINDS, 'kind'),
    returns: 'The kinds.',
  })
  listGatewayKinds() {
    return GATEWAY_KINDS.map(gatewayKindView);
  }
}
