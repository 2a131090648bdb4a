import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, DELETED, type ListAnswer, answer, listAnswer } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { VerifyConfigChange, VerifyConfigRequest } from './verify-config.dto.ts';
import { VerifyConfigView } from './verify-config.view.ts';
import * as examples from './verify-configs.examples.ts';
import { VerifyConfigsService } from './verify-configs.service.ts';

const params = { id: { example: examples.CONFIG_ID } };

@ApiTags('One-time passwords')
@Controller('v1/verify/configs')
export class VerifyConfigsController {
  constructor(private readonly configs: VerifyConfigsService) {}

  @Post()
  @Endpoint({
    id: 'createVerifyConfig',
    scope: 'manage',
    summary: 'Create a verification configuration',
    description:
      'Defines the form, lifetime, channels and limits of codes. Pass its `id` as `configId` to `/v1/verify`.',
    status: 201,
    idempotent: true,
    body: exampleBodies(VerifyConfigRequest, examples.CONFIG_BODIES),
    data: VerifyConfigView,
    answer: examples.CONFIG_CREATED,
    returns: 'The new configuration.',
  })
  async create(
    @CurrentCall() call: RepeatableCall,
    @Body() request: VerifyConfigRequest,
  ): Promise<Answer<VerifyConfigView>> {
    const created = await this.configs.create({ ...call, request });
    return answer(created, 'The verification configuration was created.');
  }

  @Get()
  @Endpoint({
    id: 'listVerifyConfigs',
    scope: 'manage',
    summary: 'List verification configurations',
    description: 'Newest first.',
    entries: VerifyConfigView,
    answer: examples.CONFIGS_FOUND,
    returns: 'One page of configurations.',
  })
  async list(
    @CurrentAccount() accountId: string,
    @Query() query: PageQuery,
  ): Promise<ListAnswer<VerifyConfigView>> {
    return listAnswer(await this.configs.list(accountId, query), 'verification configuration');
  }

  @Get(':id')
  @Endpoint({
    id: 'getVerifyConfig',
    scope: 'manage',
    summary: 'Get a verification configuration',
    description: 'Never shows the codes of test numbers.',
    params,
    data: VerifyConfigView,
    answer: examples.CONFIG_FOUND,
    returns: 'The configuration.',
  })
  async get(@CurrentAccount() accountId: string, @Param('id') id: string): Promise<Answer<VerifyConfigView>> {
    return answer(await this.configs.get(accountId, id), 'The verification configuration was found.');
  }

  @Patch(':id')
  @Endpoint({
    id: 'changeVerifyConfig',
    scope: 'manage',
    summary: 'Change a verification configuration',
    description:
      'Fields that the body omits keep their values. Codes already sent keep their lifetime and number of attempts.',
    params,
    body: exampleBodies(VerifyConfigChange, examples.CONFIG_CHANGES),
    data: VerifyConfigView,
    answer: examples.CONFIG_CHANGED,
    returns: 'The changed configuration.',
  })
  async change(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
    @Body() change: VerifyConfigChange,
  ): Promise<Answer<VerifyConfigView>> {
    const changed = await this.configs.change(accountId, id, change);
    return answer(changed, 'The verification configuration was changed.');
  }

  @Delete(':id')
  @Endpoint({
    id: 'deleteVerifyConfig',
    scope: 'manage',
    summary: 'Delete a verification configuration',
    description: 'It sends no more codes. Codes already sent stay valid.',
    params,
    data: DELETED,
    answer: examples.CONFIG_DELETED,
    returns: 'The id of the deleted configuration.',
  })
  async delete(
    @CurrentAccount() accountId: string,
    @Param('id') id: string,
  ): Promise<Answer<{ id: string }>> {
    return answer(await this.configs.delete(accountId, id), 'The verification configuration was deleted.');
  }
}
