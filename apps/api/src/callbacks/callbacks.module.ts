import { Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { addGatewayCounts } from '@signalbox/database/gateways/health';
import { CHAT_SIMULATOR } from '@signalbox/gateways/simulator/chat-callback';
import { CallbackFormats } from '@signalbox/messaging/callbacks/callback-formats';
import { CallbackIntake, callbackIntake } from '@signalbox/messaging/callbacks/callback-intake';
import { OutcomeCounts } from '@signalbox/messaging/gateways/outcome-counts';
import { Logger } from '@signalbox/runtime/logger';
import { type Repeated, repeat } from '@signalbox/runtime/repeat';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { ApiConfig } from '../config.ts';
import { LARGE_BODY_BYTES } from '../http/json-body.ts';

/** Milliseconds between two additions to the counts of gateways, as in workers. */
const COUNT_EVERY_MS = 1_000;

/** Callbacks of gateways; their route is public and added in `api.ts`. */
@Module({
  providers: [
    OutcomeCounts,
    // Large ones are left to workers: one of 256 KiB can take 20 ms to read, in which the api answers nobody.
    callbackIntake({ maxReadBytes: LARGE_BODY_BYTES }),
    {
      provide: CallbackFormats,
      inject: [getEntityManagerToken(), Sealer, ApiConfig],
      useFactory: (db: EntityManager, sealer: Sealer, config: ApiConfig) =>
        new CallbackFormats(db, sealer, {
          publicUrl: config.PUBLIC_URL,
          simulatorSecrets: config.callbackSecrets.get(CHAT_SIMULATOR) ?? [],
        }),
    },
  ],
  exports: [CallbackIntake, CallbackFormats],
})
export class CallbacksModule implements OnApplicationBootstrap, OnModuleDestroy {
  private counting: Repeated | undefined;

  constructor(
    private readonly intake: CallbackIntake,
    private readonly counts: OutcomeCounts,
    private readonly db: EntityManager,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.counting = repeat(
      'count reports',
      { everyMs: COUNT_EVERY_MS },
      () => this.storeCounts(),
      this.logger,
    );
  }

  async onModuleDestroy(): Promise<void> {
    await this.intake.close();
    await this.counting?.stop();
  }

  /** Adds what gateways reported to the counts by which routes judge their health. */
  private async storeCounts(): Promise<void> {
    const counted = this.counts.take();
    if (counted.length > 0) await addGatewayCounts(this.db, counted);
  }
}
