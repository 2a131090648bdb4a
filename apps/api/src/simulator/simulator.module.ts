import { Module } from '@nestjs/common';
import { PhonesController } from './phones.controller.ts';
import { PhonesService } from './phones.service.ts';
import { SimulatedCustomers } from './simulated-customers.ts';
import { SimulatedInboundController } from './simulated-inbound.controller.ts';

/** Simulated phones and customers, for tests; imported only when SIMULATOR_INBOX is set. */
@Module({
  controllers: [PhonesController, SimulatedInboundController],
  providers: [PhonesService, SimulatedCustomers],
})
export class SimulatorModule {}
