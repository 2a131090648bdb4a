import { Module } from '@nestjs/common';
import { SendingModule } from '../sending/sending.module.ts';
import { FileFollower } from './file-follower.ts';
import { GatewayKindsController } from './gateway-kinds.controller.ts';
import { GatewayTestsService } from './gateway-tests.service.ts';
import { GatewaysController } from './gateways.controller.ts';
import { GatewaysService } from './gateways.service.ts';
import { RoutingChanges } from './routing-changes.ts';

/** Management of gateways. */
@Module({
  imports: [SendingModule],
  controllers: [GatewaysController, GatewayKindsController],
  providers: [GatewaysService, GatewayTestsService, RoutingChanges, FileFollower],
  exports: [RoutingChanges],
})
export class GatewaysModule {}
