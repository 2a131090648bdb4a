import { Body, Controller, Get, Patch } from '@nestjs/common';
import { DEFAULT_POLICY } from '@signalbox/database/verify/policies';
import { Type } from 'typebox';
import { type Caller, CurrentAccount, CurrentCaller } from '../auth/caller.ts';
import { Endpoint, Endpoints } from '../docs/endpoint.ts';
import { dataOf } from '../http/answer.ts';
import { PolicyChange } from './verify-insight.dto.ts';
import { GuardView, PolicyView, VerifyInsightService } from './verify-insight.service.ts';
import * as examples from './verify.examples.ts';

@Endpoints('One-time passwords', { scope: 'manage' })
@Controller('v1/verify')
export class VerifyPolicyController {
  constructor(private readonly insight: VerifyInsightService) {}

  @Get('policy')
  @Endpoint({
    summary: 'Get the verification policy',
    description: 'The limits that apply to all codes of the account.',
    answer: dataOf(PolicyView, DEFAULT_POLICY, 'The policy of the account.'),
  })
  getVerifyPolicy(@CurrentAccount() accountId: string) {
    return this.insight.policy(accountId);
  }

  @Patch('policy')
  @Endpoint({
    summary: 'Change the verification policy',
    description:
      'Sets the allowed countries, codes per prefix and hour, credits per day, and the fraud guard. The change takes effect with the next code.',
    body: examples.POLICY_CHANGES,
    answer: dataOf(PolicyView, DEFAULT_POLICY, 'The policy was changed.'),
  })
  changeVerifyPolicy(@CurrentCaller() caller: Caller, @Body() change: PolicyChange) {
    return this.insight.changePolicy(caller, change);
  }

  @Get('guard')
  @Endpoint({
    cost: 5,
    summary: 'Get the traffic that the fraud guard judges',
    description:
      'Lists number prefixes, countries and API keys with enough codes in 24 hours to be judged: at most 200, worst conversion first.',
    answer: dataOf(
      Type.Array(GuardView),
      examples.GUARD,
      'Traffic of the last 24 hours, worst conversion first.',
    ),
  })
  getVerifyGuard(@CurrentAccount() accountId: string) {
    return this.insight.guard(accountId);
  }
}
