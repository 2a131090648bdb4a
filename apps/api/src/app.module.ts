import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from '@signalbox/runtime/logger';
import { AuthModule } from './auth/auth.module.ts';
import { CallbacksModule } from './callbacks/callbacks.module.ts';
import { chatappParts } from './chatapp/chatapp.parts.ts';
import type { ApiConfig } from './config.ts';
import { CoreModule } from './core.module.ts';
import { InboundModule } from './inbound/inbound.module.ts';
import { MessagesModule } from './messages/messages.module.ts';
import { OptOutsModule } from './opt-outs/opt-outs.module.ts';
import { SendingModule } from './sending/sending.module.ts';
import { ShortLinksModule } from './short-links/short-links.module.ts';
import { SimulatorModule } from './simulator/simulator.module.ts';
import { SmsModule } from './sms/sms.module.ts';
import { SmsTemplatesModule } from './sms-templates/sms-templates.module.ts';
import { verifyParts } from './verify/verify.parts.ts';
import { webhookParts } from './webhooks/webhooks.parts.ts';

@Module({})
export class AppModule {
  static with(config: ApiConfig, logger: Logger): DynamicModule {
    const chatapp = chatappParts(config, logger);
    const verify = verifyParts(config, logger);
    const webhooks = webhookParts(config);
    return {
      module: AppModule,
      imports: [
        CoreModule.with(config, logger),
        AuthModule,
        SendingModule,
        SmsModule,
        SmsTemplatesModule,
        MessagesModule,
        InboundModule,
        OptOutsModule,
        ShortLinksModule,
        CallbacksModule,
        ...(config.SIMULATOR_INBOX ? [SimulatorModule] : []),
      ],
      controllers: [...webhooks.controllers, ...chatapp.controllers, ...verify.controllers],
      providers: [...chatapp.providers, ...verify.providers, ...webhooks.providers],
    };
  }
}
