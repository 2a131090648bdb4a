import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule, getEntityManagerToken } from '@nestjs/typeorm';
import { dataSourceOptions } from '@signalbox/database/core/data-source';
import type { Logger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import { ApiKeyGuard } from './auth/api-key.guard.ts';
import { KeyCache } from './auth/key-cache.ts';
import { RateGate } from './auth/rate-gate.ts';
import { RateLimiter } from './auth/rate-limiter.ts';
import { openRedis } from './auth/redis.ts';
import type { ApiConfig } from './config.ts';
import { Creations } from './http/creations.ts';
import { Cursors } from './http/cursor.ts';
import { IdempotencyKeys } from './http/idempotency.ts';
import { SEARCHES, messageParts } from './messages/messages.parts.ts';
import { openLaneBells } from './sending/lane-bells.ts';
import { SubmissionIntake } from './sending/submission-intake.ts';
import { smsParts } from './sms/sms.parts.ts';
import { chatappParts } from './chatapp/chatapp.parts.ts';
import { verifyParts } from './verify/verify.parts.ts';
import { webhookParts } from './webhooks/webhooks.parts.ts';

const SEARCH_POOL_SIZE = 4;

const RETRIES = { retryDelay: 1_000, retryAttempts: 60 };

@Module({})
export class AppModule {
  static with(config: ApiConfig, logger: Logger): DynamicModule {
    const database = {
      url: config.DATABASE_URL,
      applicationName: 'api',
      poolSize: config.DATABASE_POOL_SIZE,
      commit: 'durable' as const,
    };
    const searches = {
      ...database,
      applicationName: 'api-searches',
      poolSize: SEARCH_POOL_SIZE,
      plans: 'fresh' as const,
    };
    const queue = { url: config.QUEUE_URL, prefix: config.QUEUE_PREFIX };
    const manager = getEntityManagerToken();
    const chatapp = chatappParts(config, logger);
    const verify = verifyParts(config, logger);
    const webhooks = webhookParts(config);
    const sms = smsParts(config);
    const messages = messageParts(config, logger);
    return {
      module: AppModule,
      imports: [
        TypeOrmModule.forRoot({ ...dataSourceOptions(database), ...RETRIES }),
        TypeOrmModule.forRoot({ ...dataSourceOptions(searches), name: SEARCHES, ...RETRIES }),
      ],
      controllers: [
        ...sms.controllers,
        ...messages.controllers,
        ...webhooks.controllers,
        ...chatapp.controllers,
        ...verify.controllers,
      ],
      providers: [
        { provide: Sealer, useFactory: () => new Sealer(...config.secretKeys) },
        { provide: Cursors, useFactory: () => new Cursors(...config.secretKeys) },
        { provide: IdempotencyKeys, useFactory: () => new IdempotencyKeys(...config.secretKeys) },
        { provide: KeyCache, inject: [manager], useFactory: (db: EntityManager) => new KeyCache(db) },
        {
          provide: RateLimiter,
          useFactory: () =>
            new RateLimiter(
              openRedis(config.QUEUE_URL, logger),
              config.QUEUE_PREFIX,
              config.RATE_LIMIT_PER_MINUTE,
            ),
        },
        {
          provide: RateGate,
          inject: [RateLimiter],
          useFactory: (limiter: RateLimiter) => new RateGate(limiter),
        },
        { provide: APP_GUARD, useClass: ApiKeyGuard },
        {
          provide: SubmissionIntake,
          inject: [manager, IdempotencyKeys],
          useFactory: async (db: EntityManager, keys: IdempotencyKeys) =>
            new SubmissionIntake(db, keys, await openLaneBells(queue, logger)),
        },
        ...sms.providers,
        ...messages.providers,
        {
          provide: Creations,
          inject: [manager, Sealer, IdempotencyKeys],
          useFactory: (db: EntityManager, sealer: Sealer, keys: IdempotencyKeys) =>
            new Creations(db, sealer, keys),
        },
        ...chatapp.providers,
        ...verify.providers,
        ...webhooks.providers,
      ],
    };
  }
}
