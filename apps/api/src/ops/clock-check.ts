import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { readClock } from '@signalbox/database/ops/system';
import { ClockWatch } from '@signalbox/runtime/clock-watch';
import { Logger } from '@signalbox/runtime/logger';
import { type Repeated, repeat } from '@signalbox/runtime/repeat';
import { EntityManager } from 'typeorm';

const EVERY_MS = 10_000;

/**
 * Compares the clock of this host with that of Postgres. Ids of messages have the time of this host, and what is due goes
 * by Postgres: where they differ, a search by time misses messages.
 */
@Injectable()
export class ClockCheck implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly clocks: ClockWatch;
  private checking: Repeated | undefined;

  constructor(
    private readonly db: EntityManager,
    private readonly logger: Logger,
  ) {
    this.clocks = new ClockWatch(logger);
  }

  onApplicationBootstrap(): void {
    this.checking = repeat('compare clocks', { everyMs: EVERY_MS }, () => this.check(), this.logger);
  }

  async onModuleDestroy(): Promise<void> {
    await this.checking?.stop();
  }

  async check(): Promise<void> {
    const note = this.clocks.ask();
    note(await readClock(this.db));
  }
}
