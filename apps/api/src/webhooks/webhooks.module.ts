import { Module } from '@nestjs/common';
import { WebhookClient } from '@signalbox/gateways/webhook-client';
import { AuthModule } from '../auth/auth.module.ts';
import { ApiConfig } from '../config.ts';
import { DeliveriesController } from './deliveries.controller.ts';
import { DeliveriesService } from './deliveries.service.ts';
import { MessagesModule } from '../messages/messages.module.ts';
import { PullsController } from './pulls.controller.ts';
import { PullsService } from './pulls.service.ts';
import { ReplaysController } from './replays.controller.ts';
import { ReplaysService } from './replays.service.ts';
import { WebhookTestsController } from './webhook-tests.controller.ts';
import { WebhookTestsService } from './webhook-tests.service.ts';
import { WebhooksController } from './webhooks.controller.ts';
import { WebhooksService } from './webhooks.service.ts';

/** Concurrent test calls to one origin. One account makes at most 4. */
const CONNECTIONS_PER_ORIGIN = 5;

/** Webhooks with their tests, deliveries and replays. */
@Module({
  imports: [AuthModule, MessagesModule],
  controllers: [
    WebhooksController,
    WebhookTestsController,
    DeliveriesController,
    ReplaysController,
    PullsController,
  ],
  providers: [
    WebhooksService,
    WebhookTestsService,
    DeliveriesService,
    ReplaysService,
    PullsService,
    {
      provide: WebhookClient,
      inject: [ApiConfig],
      useFactory: ({ ALLOW_PRIVATE_WEBHOOKS: allowPrivate }: ApiConfig) =>
        new WebhookClient({ allowPrivate, connectionsPerOrigin: CONNECTIONS_PER_ORIGIN }),
    },
  ],
})
export class WebhooksModule {}
