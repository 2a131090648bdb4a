import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAccount } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { ID } from '../docs/model.ts';
import { type Answer, answer } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { VerificationView } from './verification.view.ts';
import { StatsQuery } from './verify-insight.dto.ts';
import { StatsView, VerifyInsightService } from './verify-insight.service.ts';
import { ValidateRequest, VerifyRequest } from './verify.dto.ts';
import * as examples from './verify.examples.ts';
import { VerifyService } from './verify.service.ts';

@ApiTags('One-time passwords')
@Controller('v1/verify')
export class VerifyController {
  constructor(
    private readonly verify: VerifyService,
    private readonly insight: VerifyInsightService,
  ) {}

  @Post()
  @Endpoint({
    id: 'sendCode',
    traffic: true,
    scope: 'verify',
    summary: 'Send a one-time password',
    description:
      'Returns the verify id in `data`; pass it to `/v1/verify/validate`. A new code replaces the previous one of the same configuration and number.',
    idempotent: true,
    body: exampleBodies(VerifyRequest, examples.VERIFY_BODIES),
    data: ID,
    answer: examples.VERIFY_ANSWER,
    returns: 'The verify id. The verification is on disk, and its code will be sent.',
  })
  async send(@CurrentCall() call: RepeatableCall, @Body() request: VerifyRequest): Promise<Answer<string>> {
    return answer(await this.verify.send(call, request), 'The code is on its way.');
  }

  @Post('validate')
  @Endpoint({
    id: 'validateCode',
    traffic: true,
    scope: 'verify',
    summary: 'Validate a one-time password',
    description:
      'Accepts a right code once. A wrong code fails with `otp_incorrect`, and `error.attemptsRemaining` gives the number of attempts left.',
    body: exampleBodies(ValidateRequest, examples.VALIDATE_BODIES),
    data: ID,
    answer: examples.VALIDATE_ANSWER,
    returns: 'The verify id. The code was right and is now used.',
  })
  async validate(
    @CurrentAccount() accountId: string,
    @Body() request: ValidateRequest,
  ): Promise<Answer<string>> {
    return answer(await this.verify.validate(accountId, request), 'The code is correct.');
  }

  @Get('stats')
  @Endpoint({
    id: 'getVerifyStats',
    scope: 'verify',
    summary: 'Get conversion and time to verify',
    description:
      'Counts sent and verified codes by day, configuration or country. A code counts on the UTC day of its request. Test numbers are excluded.',
    data: StatsView,
    answer: examples.STATS_ANSWER,
    returns: 'The statistics of the requested days.',
  })
  async stats(@CurrentAccount() accountId: string, @Query() query: StatsQuery): Promise<Answer<StatsView>> {
    const stats = await this.insight.stats(accountId, query);
    return answer(stats, `The statistics from ${stats.from} to ${stats.to}.`);
  }

  @Get(':verifyId')
  @Endpoint({
    id: 'getVerification',
    scope: 'verify',
    summary: 'Get a verification',
    description:
      '`status` is one of Pending, Sent, Verified, Expired and Replaced. Verifications are kept for a day; the code is never shown.',
    params: { verifyId: { example: examples.VERIFY_ID } },
    data: VerificationView,
    answer: examples.VERIFICATION_ANSWER,
    returns: 'The verification.',
  })
  async get(
    @CurrentAccount() accountId: string,
    @Param('verifyId') verifyId: string,
  ): Promise<Answer<VerificationView>> {
    return answer(await this.insight.get(accountId, verifyId), 'The verification was found.');
  }
}
