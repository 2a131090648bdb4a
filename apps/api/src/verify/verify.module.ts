import { Module } from '@nestjs/common';
import { VerifyConfigsController } from './verify-configs.controller.ts';
import { VerifyConfigsService } from './verify-configs.service.ts';
import { VerifyInsightService } from './verify-insight.service.ts';
import { VerifyPolicyController } from './verify-policy.controller.ts';
import { VerifyController } from './verify.controller.ts';
import { VerifyService } from './verify.service.ts';

/** One-time passwords. Fixed paths are registered before paths with an id. */
@Module({
  controllers: [VerifyConfigsController, VerifyPolicyController, VerifyController],
  providers: [VerifyConfigsService, VerifyService, VerifyInsightService],
})
export class VerifyModule {}
