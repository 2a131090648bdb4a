import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { InboundModule } from '../inbound/inbound.module.ts';
import { SendingModule } from '../sending/sending.module.ts';
import { SmsTemplatesModule } from '../sms-templates/sms-templates.module.ts';
import { SmsComposer } from './sms.composer.ts';
import { SmsInboundController } from './sms-inbound.controller.ts';
import { SmsController } from './sms.controller.ts';
import { SmsService } from './sms.service.ts';
import { SubmissionsController } from './submissions.controller.ts';

/** SMS: sends, dry runs, the progress and cancellation of a send, and inbound messages. */
@Module({
  imports: [AuthModule, SendingModule, SmsTemplatesModule, InboundModule],
  controllers: [SmsController, SubmissionsController, SmsInboundController],
  providers: [SmsService, SmsComposer],
})
export class SmsModule {}
