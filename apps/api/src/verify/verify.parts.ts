import type { DynamicModule } from '@nestjs/common';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { OTP_JOB_WEIGHT, OTP_QUEUE, type OtpJob } from '@signalbox/queues/otp-queue';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import type { Bell } from '@signalbox/runtime/bell';
import { queueBell } from '@signalbox/runtime/queue-bell';
import type { Logger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import type { ApiConfig } from '../config.ts';
import { Creations } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import { IdempotencyKeys } from '../http/idempotency.ts';
import { VerifyConfigsController } from './verify-configs.controller.ts';
import { VerifyConfigsService } from './verify-configs.service.ts';
import { VerifyInsightService } from './verify-insight.service.ts';
import { VerifyPolicyController } from './verify-policy.controller.ts';
import { VerifyController } from './verify.controller.ts';
import { VerifyService } from './verify.service.ts';

/** One-time passwords: the parts that the api's module is made of. Fixed paths come before those with an id. */
export function verifyParts(
  config: ApiConfig,
  logger: Logger,
): Required<Pick<DynamicModule, 'controllers' | 'providers'>> {
  const manager = getEntityManagerToken();
  return {
    controllers: [VerifyConfigsController, VerifyPolicyController, VerifyController],
    providers: [
      {
        provide: VerifyConfigsService,
        inject: [manager, Sealer, Cursors, Creations],
        useFactory: (db: EntityManager, sealer: Sealer, cursors: Cursors, creations: Creations) =>
          new VerifyConfigsService(db, sealer, cursors, creations),
      },
      {
        provide: VerifyService,
        inject: [manager, IdempotencyKeys],
        useFactory: async (db: EntityManager, keys: IdempotencyKeys) =>
          new VerifyService(db, await openCodeBell(config, logger), config.OTP_PEPPER.split(','), keys),
      },
      {
        provide: VerifyInsightService,
        inject: [manager],
        useFactory: (db: EntityManager) => new VerifyInsightService(db),
      },
    ],
  };
}

/** Opens the bell for verifications that wait for their code. While the queue is away, rings are lost, and told of in the log. */
async function openCodeBell(config: ApiConfig, logger: Logger): Promise<Bell> {
  const queue = await openProducer<OtpJob>(
    OTP_QUEUE,
    { url: config.QUEUE_URL, prefix: config.QUEUE_PREFIX },
    (error) => logger.warn({ queue: OTP_QUEUE, error }, 'queue.unreachable'),
  );
  return queueBell(
    queue,
    { maxBatch: OTP_JOB_WEIGHT, toJob: (verifyIds) => ({ verifyIds }), close: () => closeProducer(queue) },
    logger,
  );
}
