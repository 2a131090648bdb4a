import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { CurrentAccount } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { VERIFY_ID } from '../docs/example-ids.ts';
import { ID } from '../docs/model.ts';
import { dataOf } from '../http/answer.ts';
import { CurrentCall, type RepeatableCall } from '../http/repeatable-call.ts';
import { VerificationView } from './verification.view.ts';
import { StatsQuery } from './verify-insight.dto.ts';
import { StatsView, VerifyInsightService } from './verify-insight.service.ts';
import { ValidateRequest, VerifyRequest } from './verify.dto.ts';
import * as examples from './verify.examples.ts';
import { VerifyService } from './verify.service.ts';

@Endpoints('One-time passwords', { scope: 'verify', params: { verifyId: { example: VERIFY_ID } } })
@Controller('v1/verify')
export class VerifyController {
  constructor(
    private readonly verify: VerifyService,
    private readonly insight: VerifyInsightService,
  ) {}

  @Post()
  @Endpoint({
    traffic: true,
    unlimited: true,
    summary: 'Send a one-time password',
    description:
      'Returns the verify id in `data`; pass it to `/v1/verify/validate`. A new code replaces the previous one of the same configuration and number.',
    idempotent: true,
    body: examples.VERIFY_BODIES,
    answer: dataOf(ID, VERIFY_ID, 'The code is on its way.'),
    returns: 'The verify id. The verification is on disk, and its code will be sent.',
  })
  sendCode(@CurrentCall() call: RepeatableCall, @Body() request: VerifyRequest) {
    return this.verify.send(call, request);
  }

  @Post('validate')
  @Endpoint({
    traffic: true,
    unlimited: true,
    summary: 'Validate a one-time password',
    description:
      'Accepts a right code once. A wrong code fails with `otp_incorrect`, and `error.attemptsRemaining` gives the number of attempts left. `Idempotency-Key` has no effect: after a 503 the code may have been accepted, and the repeat then fails with `otp_already_used`.',
    body: examples.VALIDATE_BODIES,
    answer: dataOf(ID, VERIFY_ID, 'The code is correct.'),
    returns: 'The verify id. The code was right and is now used.',
  })
  validateCode(@CurrentAccount() accountId: string, @Body() request: ValidateRequest) {
    return this.verify.validate(accountId, request);
  }

  @Get('stats')
  @Endpoint({
    cost: 20,
    summary: 'Get conversion and time to verify',
    description:
      'Counts sent and verified codes by day, configuration or country: the 500 groups with the most codes, while `total` counts all. A code counts on the UTC day of its request. Test numbers are excluded.',
    answer: dataOf(StatsView, examples.STATS, (stats) => `The statistics from ${stats.from} to ${stats.to}.`),
    returns: 'The statistics of the requested days.',
  })
  getVerifyStats(@CurrentAccount() accountId: string, @Query() query: StatsQuery) {
    return this.insight.stats(accountId, query);
  }

  @Get(':verifyId')
  @Endpoint({
    summary: 'Get a verification',
    description:
      '`status` is one of Pending, Sent, Verified, Expired and Replaced. Verifications are kept for a day; the code is never shown.',
    answer: dataOf(VerificationView, examples.VERIFICATION, 'The verification was found.'),
  })
  getVerification(@CurrentAccount() accountId: string, @Param('verifyId') verifyId: string) {
    return this.insight.get(accountId, verifyId);
  }
}
