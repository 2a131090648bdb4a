import { Module, type OnModuleDestroy } from '@nestjs/common';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { CHAT_SIMULATOR } from '@signalbox/gateways/simulator/chat-callback';
import { CallbackFormats } from '@signalbox/messaging/callbacks/callback-formats';
import { CallbackIntake, callbackIntake } from '@signalbox/messaging/callbacks/callback-intake';
import { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import { ApiConfig } from '../config.ts';

/** Callbacks of gateways; their route is public and added in `api.ts`. */
@Module({
  providers: [
    callbackIntake(),
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
export class CallbacksModule implements OnModuleDestroy {
  constructor(private readonly intake: CallbackIntake) {}

  onModuleDestroy(): Promise<void> {
    return this.intake.close();
  }
}
