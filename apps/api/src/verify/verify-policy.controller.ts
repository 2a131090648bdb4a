import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { PolicySettings } from '@signalbox/database/verify/policies';
import { Type } from 'typebox';
import { CurrentAccount } from '../auth/caller.ts';
import { exampleBodies } from '../docs/described.ts';
import { Endpoint } from '../docs/endpoint.ts';
import { type Answer, answer } from '../http/answer.ts';
import { PolicyChange } from './verify-insight.dto.ts';
import { GuardView, PolicyView, VerifyInsightService } from './verify-insight.service.ts';
import * as examples from './verify.examples.ts';

@ApiTags('One-time passwords')
@Controller('v1/verify')
export class VerifyPolicyController {
  constructor(private readonly insight: VerifyInsightService) {}

  @Get('policy')
  @Endpoint({
    id: 'getVerifyPolicy',
    scope: 'manage',
    summary: 'Get the verification policy',
    description: 'The limits that apply to all codes of the account.',
    data: PolicyView,
    answer: examples.POLICY_ANSWER,
    returns: 'The policy.',
  })
  async policy(@CurrentAccount() accountId: string): Promise<Answer<PolicySettings>> {
    return answer(await this.insight.policy(accountId), 'The policy of the account.');
  }

  @Patch('policy')
  @Endpoint({
    id: 'changeVerifyPolicy',
    scope: 'manage',
    summary: 'Change the verification policy',
    description:
      'Sets the allowed countries, codes per prefix and hour, credits per day, and the fraud guard. The change takes effect with the next code.',
    body: exampleBodies(PolicyChange, examples.POLICY_CHANGES),
    data: PolicyView,
    answer: examples.POLICY_CHANGED,
    returns: 'The changed policy.',
  })
  async change(
    @CurrentAccount() accountId: string,
    @Body() change: PolicyChange,
  ): Promise<Answer<PolicySettings>> {
    return answer(await this.insight.changePolicy(accountId, change), 'The policy was changed.');
  }

  @Get('guard')
  @Endpoint({
    id: 'getVerifyGuard',
    scope: 'manage',
    summary: 'Get the traffic that the fraud guard judges',
    description:
      'Lists number prefixes, countries and API keys with enough codes in 24 hours to be judged: at most 200, worst conversion first.',
    data: Type.Array(GuardView),
    answer: examples.GUARD_ANSWER,
    returns: 'The judged traffic.',
  })
  async guard(@CurrentAccount() accountId: string): Promise<Answer<GuardView[]>> {
    const message = 'Traffic of the last 24 hours, worst conversion first.';
    return answer(await this.insight.guard(accountId), message);
  }
}
