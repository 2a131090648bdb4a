import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { PolicySettings } from '@signalbox/database/verify/policies';
import { CurrentAccount, RequiresScope } from '../auth/caller.ts';
import { described, exampleBodies } from '../docs/described.ts';
import { type Answer, answer } from '../http/answer.ts';
import { PolicyChange } from './verify-insight.dto.ts';
import { type GuardView, VerifyInsightService } from './verify-insight.service.ts';
import { GUARD_ANSWER, POLICY_ANSWER, POLICY_CHANGED, POLICY_CHANGES } from './verify.examples.ts';

@ApiTags('One-time passwords')
@Controller('v1/verify')
export class VerifyPolicyController {
  constructor(private readonly insight: VerifyInsightService) {}

  /** What holds for all one-time passwords of the account. */
  @Get('policy')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'getVerifyPolicy',
    summary: 'Get the limits of one-time passwords',
    description: 'Scope: `manage`.',
  })
  @ApiResponse(described(200, 'The policy', POLICY_ANSWER))
  async policy(@CurrentAccount() caller: KeyHolder): Promise<Answer<PolicySettings>> {
    return answer(await this.insight.policy(caller.accountId), 'The policy of the account.');
  }

  /** Changes what the body names of it. */
  @Patch('policy')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'changeVerifyPolicy',
    summary: 'Change the limits of one-time passwords',
    description:
      'Countries, codes per prefix and hour, credits per day, and the fraud guard. It counts from the next call on. Scope: `manage`.',
  })
  @ApiBody(exampleBodies(PolicyChange, POLICY_CHANGES))
  @ApiResponse(described(200, 'The policy as it is now', POLICY_CHANGED))
  async change(
    @CurrentAccount() caller: KeyHolder,
    @Body() change: PolicyChange,
  ): Promise<Answer<PolicySettings>> {
    return answer(await this.insight.changePolicy(caller.accountId, change), 'The policy was changed.');
  }

  /** What the fraud guard sees. */
  @Get('guard')
  @RequiresScope('manage')
  @ApiOperation({
    operationId: 'getVerifyGuard',
    summary: 'See what the fraud guard sees',
    description:
      'Prefixes of numbers, countries and API keys with enough codes in 24 hours to be judged, the worst conversion first, at most 200. Scope: `manage`.',
  })
  @ApiResponse(described(200, 'The traffic', GUARD_ANSWER))
  async guard(@CurrentAccount() caller: KeyHolder): Promise<Answer<GuardView[]>> {
    return answer(
      await this.insight.guard(caller.accountId),
      'Traffic of the last 24 hours, the worst first.',
    );
  }
}
