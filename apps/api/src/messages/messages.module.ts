import { Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { Carriers, REFRESH_CARRIERS_MS } from '@signalbox/database/ops/carriers';
import { carriersProvider } from '@signalbox/messaging/worker/carriers-provider';
import { Logger } from '@signalbox/runtime/logger';
import { repeat } from '@signalbox/runtime/repeat';
import { AuthModule } from '../auth/auth.module.ts';
import { SEARCHES } from '../core.module.ts';
import { Exports } from './exports.ts';
import { MessageContents } from './message-contents.ts';
import { MessageWaits } from './message-waits.ts';
import { MessagesController } from './messages.controller.ts';
import { MessagesService } from './messages.service.ts';

/** Searches, exports and timelines of messages. */
@Module({
  imports: [AuthModule],
  controllers: [MessagesController],
  exports: [MessageContents, Carriers],
  providers: [
    MessagesService,
    MessageContents,
    MessageWaits,
    Exports,
    carriersProvider(getEntityManagerToken(SEARCHES)),
  ],
})
export class MessagesModule implements OnApplicationBootstrap, OnModuleDestroy {
  private refresh: ReturnType<typeof repeat> | undefined;

  constructor(
    private readonly carriers: Carriers,
    private readonly logger: Logger,
  ) {}

  /** Picks up newly imported carrier prefixes while the process runs. */
  onApplicationBootstrap(): void {
    this.refresh = repeat(
      'read carriers',
      { everyMs: REFRESH_CARRIERS_MS },
      () => this.carriers.refresh(),
      this.logger,
    );
  }

  async onModuleDestroy(): Promise<void> {
    await this.refresh?.stop();
  }
}
