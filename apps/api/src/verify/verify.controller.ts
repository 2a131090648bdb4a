import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { FastifyReply } from 'fastify';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { IDEMPOTENCY_KEY, described, exampleBodies } from '../docs/described.ts';
import { type Answer, answer } from '../http/answer.ts';
import type { VerificationView } from './verification.view.ts';
import { StatsQuery } from './verify-insight.dto.ts';
import { type StatsView, VerifyInsightService } from './verify-insight.service.ts';
import { ValidateRequest, VerifyRequest } from './verify.dto.ts';
import {
  STATS_ANSWER,
  VALIDATE_ANSWER,
  VALIDATE_BODIES,
  VERIFICATION_ANSWER,
  VERIFY_ANSWER,
  VERIFY_BODIES,
  VERIFY_ID,
} from './verify.examples.ts';
import { VerifyService } from './verify.service.ts';

@ApiTags('One-time passwords')
@Controller('v1/verify')
export class VerifyController {
  constructor(
    private readonly verify: VerifyService,
    private readonly insight: VerifyInsightService,
  ) {}

  /** Sends a one-time password (spec 4.6). */
  @Post()
  @HttpCode(200)
  @RequiresScope('verify')
  @ApiOperation({
    operationId: 'sendCode',
    summary: 'Send a one-time password',
    description:
      '`data` is the verify id that the code is checked with. A code that was sent before for the same configuration and number is of no more use. Scope: `verify`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody(exampleBodies(VerifyRequest, VERIFY_BODIES))
  @ApiResponse(described(200, 'Accepted: the verification is on disk, its code follows.', VERIFY_ANSWER))
  async send(
    @CurrentAccount() caller: KeyHolder,
    @Body() request: VerifyRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer<string>> {
    return answer(await this.verify.send(caller, request, idempotencyKey, reply), 'The code is on its way.');
  }

  /** Checks a code that somebody typed (spec 4.7). */
  @Post('validate')
  @HttpCode(200)
  @RequiresScope('verify')
  @ApiOperation({
    operationId: 'validateCode',
    summary: 'Check a one-time password',
    description:
      'A code is good once. A wrong one is answered with `otp_incorrect`, whose `error.attemptsRemaining` says how many tries are left. Scope: `verify`.',
  })
  @ApiBody(exampleBodies(ValidateRequest, VALIDATE_BODIES))
  @ApiResponse(described(200, 'The code is right, and used with that.', VALIDATE_ANSWER))
  async validate(
    @CurrentAccount() caller: KeyHolder,
    @Body() request: ValidateRequest,
  ): Promise<Answer<string>> {
    return answer(await this.verify.validate(caller.accountId, request), 'The code is right.');
  }

  /** How many codes were sent and verified, and how long that took. */
  @Get('stats')
  @RequiresScope('verify')
  @ApiOperation({
    operationId: 'getVerifyStats',
    summary: 'Conversion and time to verify',
    description:
      'By day, configuration or country; a code counts on the day of UTC it was asked for. Test numbers do not count. Scope: `verify`.',
  })
  @ApiResponse(described(200, 'The statistics', STATS_ANSWER))
  async stats(@CurrentAccount() caller: KeyHolder, @Query() query: StatsQuery): Promise<Answer<StatsView>> {
    const stats = await this.insight.stats(caller.accountId, query);
    return answer(stats, `The statistics from ${stats.from} to ${stats.to}.`);
  }

  /** What became of one verification. */
  @Get(':verifyId')
  @RequiresScope('verify')
  @ApiOperation({
    operationId: 'getVerification',
    summary: 'Look up a verification',
    description:
      'Status is one of Pending, Sent, Verified, Expired, Replaced. It is kept for a day; its code is never shown. Scope: `verify`.',
  })
  @ApiParam({ name: 'verifyId', example: VERIFY_ID })
  @ApiResponse(described(200, 'The verification', VERIFICATION_ANSWER))
  async get(
    @CurrentAccount() caller: KeyHolder,
    @Param('verifyId') verifyId: string,
  ): Promise<Answer<VerificationView>> {
    return answer(await this.insight.get(caller.accountId, verifyId), 'The verification was found.');
  }
}
