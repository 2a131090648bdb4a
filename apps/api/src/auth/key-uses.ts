import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { noteKeyUses } from '@signalbox/database/accounts/api-keys';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';

const WRITE_EVERY_MS = 60_000;

/** Notes when keys were last used, once a minute for all of them. Requests only mark their key when it is looked up. */
@Injectable()
export class KeyUses implements OnModuleDestroy {
  private readonly uses = new Map<string, Date>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly db: EntityManager,
    private readonly logger: Logger,
  ) {}

  /** Marks a key as used now. */
  mark(keyId: string): void {
    this.uses.set(keyId, new Date());
    this.timer ??= setTimeout(() => void this.write(), WRITE_EVERY_MS);
  }

  /** Writes the marked uses. A failure is logged, and the next use counts. */
  async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    // In one order, so that two processes never wait for each other.
    const uses = [...this.uses]
      .map(([keyId, at]) => ({ keyId, at }))
      .toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1));
    this.uses.clear();
    if (uses.length === 0) return;
    try {
      await noteKeyUses(this.db, uses);
    } catch (error) {
      this.logger.warn({ error }, 'key.uses_not_noted');
    }
  }

  async onModuleDestroy(): Promise<void> {
    await this.write();
  }
}
