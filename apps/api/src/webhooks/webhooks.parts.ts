import type { Provider, Type } from '@nestjs/common';
import { WebhookClient } from '@signalbox/gateways/webhook-client';
import { ApiConfig } from '../config.ts';
import { DeliveriesController } from './deliveries.controller.ts';
import { DeliveriesService } from './deliveries.service.ts';
import { ReplaysController } from './replays.controller.ts';
import { ReplaysService } from './replays.service.ts';
import { WebhookTestsController } from './webhook-tests.controller.ts';
import { WebhookTestsService } from './webhook-tests.service.ts';
import { WebhooksController } from './webhooks.controller.ts';
import { WebhooksService } from './webhooks.service.ts';

/** Webhooks, their deliveries, replays and tests. */
export function webhookParts(config: ApiConfig): { controllers: Type[]; providers: Provider[] } {
  return {
    controllers: [WebhooksController, WebhookTestsController, DeliveriesController, ReplaysController],
    providers: [
      { provide: ApiConfig, useValue: config },
      WebhooksService,
      DeliveriesService,
      ReplaysService,
      WebhookTestsService,
      {
        provide: WebhookClient,
        useFactory: ({ ALLOW_PRIVATE_WEBHOOKS: allowPrivate }: ApiConfig) =>
          new WebhookClient({ allowPrivate, connectionsPerOrigin: 4 }),
        inject: [ApiConfig],
      },
    ],
  };
}
