import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { EndpointQuery } from './endpoint.dto.ts';
import { ENDPOINTS_ANSWER, SYSTEM_ANSWER } from './system.examples.ts';
import { SystemService } from './system.service.ts';
import { EndpointView, SystemView } from './system.view.ts';

@ApiTags('Operations')
@Controller('v1')
export class SystemController {
  constructor(private readonly system: SystemService) {}

  @Get('system')
  @Endpoint({
    id: 'getSystem',
    scope: 'ops',
    summary: 'Show the state of the installation',
    description: 'Versions, servers, migrations, workers, tables, and settings without secrets.',
    data: SystemView,
    answer: SYSTEM_ANSWER,
    returns: 'The state of the installation.',
  })
  async get(): Promise<Answer<SystemView>> {
    return answer(await this.system.get(), 'The installation answers.');
  }

  @Get('endpoints')
  @Endpoint({
    id: 'listEndpoints',
    scope: 'ops',
    summary: 'List endpoints in trouble',
    description: 'Endpoints of webhooks of all accounts whose breaker is open, or whose last call failed.',
    entries: EndpointView,
    answer: ENDPOINTS_ANSWER,
    returns: 'One page of endpoints.',
  })
  async endpoints(
    @CurrentAccount() accountId: string,
    @Query() query: EndpointQuery,
  ): Promise<ListAnswer<EndpointView>> {
    return listAnswer(await this.system.endpoints(accountId, query), 'endpoint');
  }
}
