import { Module, type OnModuleDestroy } from '@nestjs/common';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { CallbackIntake } from '@signalbox/messaging/callback-intake';
import { Queues } from '@signalbox/queues/open-queues';
import type { EntityManager } from 'typeorm';

/** Callbacks of gateways; their route is public and added in `api.ts`. */
@Module({
  providers: [
    {
      provide: CallbackIntake,
      inject: [getEntityManagerToken(), Queues],
      useFactory: (db: EntityManager, queues: Queues) => new CallbackIntake(db, queues),
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
