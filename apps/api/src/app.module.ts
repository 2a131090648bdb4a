import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from '@signalbox/runtime/logger';
import { ApiKeysModule } from './api-keys/api-keys.module.ts';
import { AuditModule } from './audit/audit.module.ts';
import { AccountsModule } from './accounts/accounts.module.ts';
import { AuthModule } from './auth/auth.module.ts';
import { CallbacksModule } from './callbacks/callbacks.module.ts';
import { ChatAccountsModule } from './chat-accounts/chat-accounts.module.ts';
import { ChatappModule } from './chatapp/chatapp.module.ts';
import type { ApiConfig } from './config.ts';
import { CoreModule } from './core.module.ts';
import { GatewaysModule } from './gateways/gateways.module.ts';
import { InboundModule } from './inbound/inbound.module.ts';
import { LanesModule } from './lanes/lanes.module.ts';
import { MediaModule } from './media/media.module.ts';
import { MessagesModule } from './messages/messages.module.ts';
import { OidcModule } from './oidc/oidc.module.ts';
import { OptOutsModule } from './opt-outs/opt-outs.module.ts';
import { OrphanReportsModule } from './orphan-reports/orphan-reports.module.ts';
import { ParkedModule } from './parked/parked.module.ts';
import { QueuesModule } from './queues/queues.module.ts';
import { RoutesModule } from './routes/routes.module.ts';
import { ConversationsModule } from './conversations/conversations.module.ts';
import { SearchModule } from './search/search.module.ts';
import { SendsModule } from './sends/sends.module.ts';
import { SendingModule } from './sending/sending.module.ts';
import { SessionsModule } from './sessions/sessions.module.ts';
import { ShortLinksModule } from './short-links/short-links.module.ts';
import { SimulatorModule } from './simulator/simulator.module.ts';
import { SmsModule } from './sms/sms.module.ts';
import { SendersModule } from './senders/senders.module.ts';
import { SmsTemplatesModule } from './sms-templates/sms-templates.module.ts';
import { StreamModule } from './stream/stream.module.ts';
import { SystemModule } from './system/system.module.ts';
import { StatisticsModule } from './statistics/statistics.module.ts';
import { TemplatesModule } from './templates/templates.module.ts';
import { UsersModule } from './users/users.module.ts';
import { VerifyModule } from './verify/verify.module.ts';
import { WebhooksModule } from './webhooks/webhooks.module.ts';

@Module({})
export class AppModule {
  static with(config: ApiConfig, logger: Logger): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.with(config, logger),
        AuthModule,
        SessionsModule,
        ApiKeysModule,
        UsersModule,
        AuditModule,
        SendingModule,
        SmsModule,
        SmsTemplatesModule,
        MessagesModule,
        InboundModule,
        OptOutsModule,
        ShortLinksModule,
        CallbacksModule,
        WebhooksModule,
        ChatAccountsModule,
        SendersModule,
        TemplatesModule,
        MediaModule,
        ChatappModule,
        VerifyModule,
        StatisticsModule,
        SendsModule,
        ConversationsModule,
        SearchModule,
        GatewaysModule,
        RoutesModule,
        OrphanReportsModule,
        QueuesModule,
        AccountsModule,
        LanesModule,
        ParkedModule,
        SystemModule,
        StreamModule,
        ...(config.OIDC_ISSUER === '' ? [] : [OidcModule]),
        ...(config.SIMULATOR_INBOX ? [SimulatorModule] : []),
      ],
    };
  }
}
