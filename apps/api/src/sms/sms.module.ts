import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { SendingModule } from '../sending/sending.module.ts';
import { SmsTemplatesModule } from '../sms-templates/sms-templates.module.ts';
import { SmsComposer } from './sms.composer.ts';
import { SmsController } from './sms.controller.ts';
import { SmsService } from './sms.service.ts';
import { SubmissionsController } from './submissions.controller.ts';

/** SMS: sends, dry runs, and the progress and cancellation of a send. */
@Module({
  imports: [AuthModule, SendingModule, SmsTemplatesModule],
  controllers: [SmsController, SubmissionsController],
  providers: [SmsService, SmsComposer],
})
export class SmsModule {}
