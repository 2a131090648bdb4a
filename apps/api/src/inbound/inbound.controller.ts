import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { described } from '../docs/described.ts';
import { type Answer, type ListAnswer, answer } from '../http/answer.ts';
import { InboundQuery } from './inbound.dto.ts';
import { FOUND_ANSWER, INBOUND_ID, LIST_ANSWER } from './inbound.examples.ts';
import { InboundService } from './inbound.service.ts';
import type { InboundView } from './inbound.view.ts';

@ApiTags('Chat-app messages')
@Controller('v1/chatapp/inbound')
export class InboundController {
  constructor(private readonly inbound: InboundService) {}

  /** What recipients wrote to the account's senders, newest first. */
  @Get()
  @RequiresScope('send')
  @ApiOperation({
    operationId: 'listInbound',
    summary: 'List inbound messages',
    description:
      'Newest first. A page may hold fewer messages than `limit` while `nextCursor` is set: go on until it is null. Scope: `send`.',
  })
  @ApiResponse(described(200, 'A page', LIST_ANSWER))
  async list(
    @CurrentAccount() { accountId }: KeyHolder,
    @Query() query: InboundQuery,
  ): Promise<ListAnswer<InboundView>> {
    const { page, nextCursor } = await this.inbound.list(accountId, query);
    return { ...answer(page, page.length === 1 ? '1 message.' : `${page.length} messages.`), nextCursor };
  }

  /** One message that a recipient wrote. */
  @Get(':id')
  @RequiresScope('send')
  @ApiOperation({
    operationId: 'getInbound',
    summary: 'Get an inbound message',
    description: 'Scope: `send`.',
  })
  @ApiParam({ name: 'id', example: INBOUND_ID })
  @ApiResponse(described(200, 'The message', FOUND_ANSWER))
  async get(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('id') id: string,
  ): Promise<Answer<InboundView>> {
    return answer(await this.inbound.get(accountId, id), 'The message was found.');
  }
}
