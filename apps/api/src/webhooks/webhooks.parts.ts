import type { Provider, Type } from '@nestjs/common';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { WebhookClient } from '@signalbox/gateways/webhook-client';
import { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import { RateLimiter } from '../auth/rate-limiter.ts';
import type { ApiConfig } from '../config.ts';
import { DeliveriesController } from '../deliveries/deliveries.controller.ts';
import { DeliveriesService } from '../deliveries/deliveries.service.ts';
import { ReplaysController } from '../deliveries/replays.controller.ts';
import { Creations } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import { WebhookTrialsController } from './webhook-trials.controller.ts';
import { WebhookTrials } from './webhook-trials.ts';
import { WebhooksController } from './webhooks.controller.ts';
import { WebhooksService } from './webhooks.service.ts';

/** What serves /v1/webhooks and what was pushed to them. */
export function webhookParts({ ALLOW_PRIVATE_WEBHOOKS: allowPrivate }: ApiConfig): {
  controllers: Type[];
  providers: Provider[];
} {
  const client = new WebhookClient({ allowPrivate, connectionsPerOrigin: 5 });
  const manager = getEntityManagerToken();
  return {
    controllers: [WebhooksController, WebhookTrialsController, DeliveriesController, ReplaysController],
    providers: [
      {
        provide: WebhooksService,
        inject: [manager, Sealer, Cursors, Creations],
        useFactory: (db: EntityManager, sealer: Sealer, cursors: Cursors, creations: Creations) =>
          new WebhooksService(db, sealer, cursors, creations, client.resolver),
      },
      {
        provide: DeliveriesService,
        inject: [manager, Cursors, Creations],
        useFactory: (db: EntityManager, cursors: Cursors, creations: Creations) =>
          new DeliveriesService(db, cursors, creations),
      },
      {
        provide: WebhookTrials,
        inject: [manager, WebhooksService, Sealer, RateLimiter],
        useFactory: (db: EntityManager, webhooks: WebhooksService, sealer: Sealer, limiter: RateLimiter) =>
          new WebhookTrials(db, webhooks, client, sealer, limiter),
      },
    ],
  };
}
