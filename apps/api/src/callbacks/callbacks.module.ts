import { Module, type OnModuleDestroy } from '@nestjs/common';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { insertCallbacks } from '@signalbox/database/reports/callbacks';
import { CALLBACK_QUEUE } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import { Bell } from '@signalbox/runtime/bell';
import { CallbackIntake } from '@signalbox/runtime/callback-intake';
import { Logger } from '@signalbox/runtime/logger';
import type { EntityManager } from 'typeorm';

/** Callbacks of gateways; their route is public and added in `api.ts`. */
@Module({
  providers: [
    {
      provide: CallbackIntake,
      inject: [getEntityManagerToken(), Queues, Logger],
      useFactory: (db: EntityManager, queues: Queues, logger: Logger) =>
        new CallbackIntake((callbacks) => insertCallbacks(db, callbacks), bellOf(queues, logger)),
    },
  ],
  exports: [CallbackIntake],
})
export class CallbacksModule implements OnModuleDestroy {
  constructor(private readonly intake: CallbackIntake) {}

  onModuleDestroy(): Promise<void> {
    return this.intake.close();
  }
}

/** The callback queue in the shape that CallbackIntake takes. */
function bellOf(queues: Queues, logger: Logger): Bell {
  const queue = queues.get(CALLBACK_QUEUE);
  return new Bell({
    enqueue: (ids) => queue.addJobs(ids, {}),
    maxBatch: CALLBACK_QUEUE.maxWeight,
    onLost: (error, ids) => logger.warn({ queue: queue.name, count: ids.length, error }, 'enqueue.failed'),
  });
}
