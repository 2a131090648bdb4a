import { Body, Controller, Delete, Get, Headers, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { FastifyReply } from 'fastify';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { IDEMPOTENCY_KEY, described, exampleBodies } from '../docs/described.ts';
import { type Answer, type ListAnswer, answer } from '../http/answer.ts';
import { OptOutQuery, OptOutRequest } from './opt-out.dto.ts';
import type { OptOutView } from './opt-out.view.ts';
import * as examples from './opt-outs.examples.ts';
import { OptOutsService } from './opt-outs.service.ts';

const PATH = '/v1/opt-outs';
const ID = { name: 'id', example: examples.OPT_OUT_ID };

@ApiTags('SMS')
@Controller(PATH)
export class OptOutsController {
  constructor(private readonly optOuts: OptOutsService) {}

  /** Keeps messages of the types TRANS and PROMO from these recipients. */
  @Post()
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'addOptOuts',
    summary: 'Add opt-outs',
    description:
      'Messages of the types TRANS and PROMO to these numbers are refused with `recipient_opted_out`, and within a bulk fail with errCode 903. Scope: `manage`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody(exampleBodies(OptOutRequest, examples.OPT_OUT_BODIES))
  @ApiResponse(described(201, 'Added', examples.ADDED_ANSWER))
  async add(
    @CurrentAccount() { accountId }: KeyHolder,
    @Body() request: OptOutRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer<OptOutView[]>> {
    const added = await this.optOuts.add({ accountId, path: PATH, request, idempotencyKey, reply }, request);
    return answer(
      added,
      added.length === 1 ? '1 opt-out was added.' : `${added.length} opt-outs were added.`,
    );
  }

  /** The account's opt-outs, newest first. */
  @Get()
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'listOptOuts',
    summary: 'List opt-outs',
    description: 'Newest first. Scope: `manage`.',
  })
  @ApiResponse(described(200, 'A page', examples.LIST_ANSWER))
  async list(
    @CurrentAccount() { accountId }: KeyHolder,
    @Query() query: OptOutQuery,
  ): Promise<ListAnswer<OptOutView>> {
    const { page, nextCursor } = await this.optOuts.list(accountId, query);
    return { ...answer(page, page.length === 1 ? '1 opt-out.' : `${page.length} opt-outs.`), nextCursor };
  }

  /** One opt-out. */
  @Get(':id')
  @RequiresScope('manage')
  @ApiOperation({ operationId: 'getOptOut', summary: 'Get an opt-out', description: 'Scope: `manage`.' })
  @ApiParam(ID)
  @ApiResponse(described(200, 'The opt-out', examples.FOUND_ANSWER))
  async get(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
  ): Promise<Answer<OptOutView>> {
    return answer(await this.optOuts.get(accountId, id), 'The opt-out was found.');
  }

  /** Lets the recipient be sent to again. */
  @Delete(':id')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'deleteOptOut',
    summary: 'Delete an opt-out',
    description: 'Its number can be sent to again. Scope: `manage`.',
  })
  @ApiParam(ID)
  @ApiResponse(described(200, 'Deleted', examples.DELETED_ANSWER))
  async delete(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
  ): Promise<Answer<{ id: string }>> {
    await this.optOuts.delete(accountId, id);
    return answer({ id }, 'The opt-out was deleted.');
  }
}
