import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { CONFIG_ID } from '../docs/example-ids.ts';
import { DELETED, dataOf, pageOf } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { VerifyConfigChange, VerifyConfigRequest } from './verify-config.dto.ts';
import { VerifyConfigView } from './verify-config.view.ts';
import * as examples from './verify-configs.examples.ts';
import { VerifyConfigsService } from './verify-configs.service.ts';

@Endpoints('One-time passwords', { scope: 'manage', params: { id: { example: CONFIG_ID } } })
@Controller('v1/verify/configs')
export class VerifyConfigsController {
  constructor(private readonly configs: VerifyConfigsService) {}

  @Post()
  @Endpoint({
    summary: 'Create a verification configuration',
    description:
      'Defines the form, lifetime, channels and limits of codes. Pass its `id` as `configId` to `/v1/verify`.',
    status: 201,
    idempotent: true,
    body: examples.CONFIG_BODIES,
    answer: dataOf(VerifyConfigView, examples.CONFIG, 'The verification configuration was created.'),
  })
  createVerifyConfig(@CurrentCall() call: RepeatableCall, @Body() request: VerifyConfigRequest) {
    return this.configs.create({ ...call, request });
  }

  @Get()
  @Endpoint({
    summary: 'List verification configurations',
    description: 'Newest first.',
    answer: pageOf(VerifyConfigView, [examples.CONFIG], 'verification configuration'),
  })
  listVerifyConfigs(@CurrentAccount() accountId: string, @Query() query: PageQuery) {
    return this.configs.list(accountId, query);
  }

  @Get(':id')
  @Endpoint({
    summary: 'Get a verification configuration',
    description: 'Never shows the codes of test numbers.',
    answer: dataOf(VerifyConfigView, examples.CONFIG, 'The verification configuration was found.'),
  })
  getVerifyConfig(@CurrentAccount() accountId: string, @Param('id') id: string) {
    return this.configs.get(accountId, id);
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Change a verification configuration',
    description:
      'Fields that the body omits keep their values. Codes already sent keep their lifetime and number of attempts.',
    body: examples.CONFIG_CHANGES,
    answer: dataOf(VerifyConfigView, examples.CONFIG, 'The verification configuration was changed.'),
  })
  changeVerifyConfig(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() change: VerifyConfigChange,
  ) {
    return this.configs.change(caller, id, change);
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Delete a verification configuration',
    description: 'It sends no more codes. Codes already sent stay valid.',
    answer: dataOf(DELETED, { id: CONFIG_ID }, 'The verification configuration was deleted.'),
  })
  deleteVerifyConfig(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.configs.delete(caller, id);
  }
}
