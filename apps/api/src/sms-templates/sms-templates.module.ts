import { Module } from '@nestjs/common';
import { SmsTemplateCache } from './sms-template-cache.ts';
import { SmsTemplatesController } from './sms-templates.controller.ts';
import { SmsTemplatesService } from './sms-templates.service.ts';

/** Management of SMS templates, and their cache for sends. */
@Module({
  controllers: [SmsTemplatesController],
  providers: [SmsTemplatesService, SmsTemplateCache],
  exports: [SmsTemplateCache],
})
export class SmsTemplatesModule {}
