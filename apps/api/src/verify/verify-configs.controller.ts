import { Body, Controller, Delete, Get, Headers, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { FastifyReply } from 'fastify';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { IDEMPOTENCY_KEY, described, exampleBodies } from '../docs/described.ts';
import { type Answer, type ListAnswer, answer } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { VerifyConfigChange, VerifyConfigRequest } from './verify-config.dto.ts';
import type { VerifyConfigView } from './verify-config.view.ts';
import {
  CONFIGS_FOUND,
  CONFIG_BODIES,
  CONFIG_CHANGED,
  CONFIG_CHANGES,
  CONFIG_CREATED,
  CONFIG_DELETED,
  CONFIG_FOUND,
  CONFIG_ID,
} from './verify-configs.examples.ts';
import { VerifyConfigsService } from './verify-configs.service.ts';

@ApiTags('One-time passwords')
@Controller('v1/verify/configs')
export class VerifyConfigsController {
  constructor(private readonly configs: VerifyConfigsService) {}

  /** Configures one-time passwords: what codes are like, how long they live, and how often they are sent. */
  @Post()
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'createVerifyConfig',
    summary: 'Configure one-time passwords',
    description: 'Its id is the `configId` that codes are generated with. Scope: `manage`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody(exampleBodies(VerifyConfigRequest, CONFIG_BODIES))
  @ApiResponse(described(201, 'Created', CONFIG_CREATED))
  async create(
    @CurrentAccount() caller: KeyHolder,
    @Body() request: VerifyConfigRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer<VerifyConfigView>> {
    const call = { accountId: caller.accountId, path: '/v1/verify/configs', request, idempotencyKey, reply };
    const created = await this.configs.create(call, request);
    return answer(created, 'The verification configuration was created.');
  }

  /** The account's configurations, newest first. */
  @Get()
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'listVerifyConfigs',
    summary: 'List verification configurations',
    description: 'Newest first. Scope: `manage`.',
  })
  @ApiResponse(described(200, 'A page', CONFIGS_FOUND))
  async list(
    @CurrentAccount() caller: KeyHolder,
    @Query() query: PageQuery,
  ): Promise<ListAnswer<VerifyConfigView>> {
    const { page, nextCursor } = await this.configs.list(caller.accountId, query);
    return {
      ...answer(
        page,
        page.length === 1 ? '1 verification configuration.' : `${page.length} verification configurations.`,
      ),
      nextCursor,
    };
  }

  /** One configuration. */
  @Get(':id')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'getVerifyConfig',
    summary: 'Get a verification configuration',
    description: 'The codes of test numbers are not shown. Scope: `manage`.',
  })
  @ApiParam({ name: 'id', example: CONFIG_ID })
  @ApiResponse(described(200, 'The configuration', CONFIG_FOUND))
  async get(@CurrentAccount() caller: KeyHolder, @Param('id') id: string): Promise<Answer<VerifyConfigView>> {
    return answer(await this.configs.get(caller.accountId, id), 'The verification configuration was found.');
  }

  /** Changes what the body names of a configuration. */
  @Patch(':id')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'changeVerifyConfig',
    summary: 'Change a verification configuration',
    description:
      'What the body leaves out stays as it is. Codes that were sent before keep their lifetime and their tries. Scope: `manage`.',
  })
  @ApiParam({ name: 'id', example: CONFIG_ID })
  @ApiBody(exampleBodies(VerifyConfigChange, CONFIG_CHANGES))
  @ApiResponse(described(200, 'The configuration as it is now', CONFIG_CHANGED))
  async change(
    @CurrentAccount() caller: KeyHolder,
    @Param('id') id: string,
    @Body() change: VerifyConfigChange,
  ): Promise<Answer<VerifyConfigView>> {
    return answer(
      await this.configs.change(caller.accountId, id, change),
      'The verification configuration was changed.',
    );
  }

  /** Takes a configuration away. */
  @Delete(':id')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'deleteVerifyConfig',
    summary: 'Delete a verification configuration',
    description: 'No code is sent by it any more; those that were sent can still be used. Scope: `manage`.',
  })
  @ApiParam({ name: 'id', example: CONFIG_ID })
  @ApiResponse(described(200, 'Deleted', CONFIG_DELETED))
  async delete(
    @CurrentAccount() caller: KeyHolder,
    @Param('id') id: string,
  ): Promise<Answer<{ id: string }>> {
    await this.configs.delete(caller.accountId, id);
    return answer({ id }, 'The verification configuration was deleted.');
  }
}
