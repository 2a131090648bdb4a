import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { SendingModule } from '../sending/sending.module.ts';
import { CancellationsController } from './cancellations.controller.ts';
import { SendsController } from './sends.controller.ts';
import { SendsService } from './sends.service.ts';

/** Lists of sends of both channels, and cancellations of many. */
@Module({
  imports: [AuthModule, SendingModule],
  controllers: [SendsController, CancellationsController],
  providers: [SendsService],
})
export class SendsModule {}
