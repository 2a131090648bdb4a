import { Controller, Get, Query } from '@nestjs/common';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { dataOf, pageOf } from '../http/answer.ts';
import { EndpointQuery } from './endpoint.dto.ts';
import { ENDPOINTS, SYSTEM } from './system.examples.ts';
import { SystemService } from './system.service.ts';
import { EndpointView, SystemView } from './system.view.ts';

@Endpoints('Operations', { scope: 'ops' })
@Controller('v1')
export class SystemController {
  constructor(private readonly system: SystemService) {}

  @Get('system')
  @Endpoint({
    summary: 'Show the state of the installation',
    description: 'Versions, servers, migrations, workers, tables, and settings without secrets.',
    answer: dataOf(SystemView, SYSTEM, 'The installation was read.'),
    returns: 'The state of the installation.',
  })
  getSystem() {
    return this.system.get();
  }

  @Get('endpoints')
  @Endpoint({
    summary: 'List endpoints in trouble',
    description: 'Endpoints of webhooks of all accounts whose breaker is open, or whose last call failed.',
    answer: pageOf(EndpointView, ENDPOINTS, 'endpoint'),
  })
  listEndpoints(@CurrentAccount() accountId: string, @Query() query: EndpointQuery) {
    return this.system.endpoints(accountId, query);
  }
}
