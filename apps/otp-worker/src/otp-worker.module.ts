import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule, getEntityManagerToken } from '@nestjs/typeorm';
import { dataSourceOptions } from '@signalbox/database/data-source';
import { OTP_QUEUE } from '@signalbox/queues/otp-queue';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import type { AppConfig } from '@signalbox/runtime/app-config';
import type { Logger } from '@signalbox/runtime/logger';
import { exposeQueues } from '@signalbox/runtime/queue-metrics';
import { WorkerLife } from '@signalbox/runtime/worker-life';
import type { EntityManager } from 'typeorm';

@Module({})
export class OtpWorkerModule {
  static with(config: AppConfig, logger: Logger): DynamicModule {
    const database = {
      url: config.DATABASE_URL,
      applicationName: 'otp-worker',
      poolSize: config.DATABASE_POOL_SIZE,
      commit: 'repeatable' as const,
    };
    return {
      module: OtpWorkerModule,
      imports: [DiscoveryModule, TypeOrmModule.forRoot({ ...dataSourceOptions(database), retryDelay: 1_000, retryAttempts: 60 })],
      providers: [
        {
          provide: WorkerLife,
          inject: [getEntityManagerToken()],
          useFactory: async (db: EntityManager) => {
            const queue = await openProducer(OTP_QUEUE, { url: config.QUEUE_URL, prefix: config.QUEUE_PREFIX }, (error) =>
              logger.warn({ error }, 'queue.unreachable'),
            );
            exposeQueues([queue]);
            const needs = { database: () => db.query('SELECT 1'), queue: () => queue.count() };
            return new WorkerLife(
              () => ({ processors: [], repeated: [], closeInOrder: [{ close: () => closeProducer(queue) }], needs }),
              logger,
            );
          },
        },
      ],
    };
  }
}
