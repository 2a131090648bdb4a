import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { described } from '../docs/described.ts';
import { type ListAnswer, answer } from '../http/answer.ts';
import { PageQuery } from '../http/page-query.ts';
import { type PhoneMessageView, PHONE_ANSWER } from './phone-message.view.ts';
import { PhonesService } from './phones.service.ts';

/** There only while the simulator's phones remember what they receive. */
@ApiTags('Simulator')
@Controller('v1/simulator/phones')
export class PhonesController {
  constructor(private readonly phones: PhonesService) {}

  /** What a phone received, so that a test can read a code as a person would. */
  @Get(':msisdn/messages')
  @RequiresScope('send')
  @ApiOperation({
    operationId: 'listPhoneMessages',
    summary: "Read a simulated phone's messages",
    description: 'What it received from this account in the last hour, newest first. Scope: `send`.',
  })
  @ApiParam({ name: 'msisdn', example: '919812345678' })
  @ApiResponse(described(200, 'A page', PHONE_ANSWER))
  async list(
    @CurrentAccount() { accountId }: KeyHolder,
    @Param('msisdn') msisdn: string,
    @Query() query: PageQuery,
  ): Promise<ListAnswer<PhoneMessageView>> {
    const { page, nextCursor } = await this.phones.list(accountId, msisdn, query);
    return { ...answer(page, page.length === 1 ? '1 message.' : `${page.length} messages.`), nextCursor };
  }
}
