import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { findLimit } from '@signalbox/database/accounts/limits';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { EntityManager } from 'typeorm';
import { SEARCHES } from '../core.module.ts';
import { limitReached } from '../http/account-limits.ts';
import { READS_OF_ACCOUNT } from '../http/costly-calls.ts';
import { KeyedLimit } from '../http/keyed-limit.ts';

/** The caller of an export. */
export interface Exporter {
  accountId: string;
  /** Throws once the key or the session of the caller has ended. */
  requireLive: () => Promise<void>;
}

/** Reads a page of an export, once those of the other exports of its account are read and their delay has ended. */
export type ReadPage = <T>(read: () => Promise<T>) => Promise<T>;

/**
 * Limits the concurrent exports of an account in this process, so that other accounts keep their connections. They read
 * their pages one after the other, with a delay between them.
 */
@Injectable()
export class Exports {
  private readonly running = new Map<string, number>();
  private readonly pages = new KeyedLimit('exports of the same account');

  constructor(
    @InjectEntityManager(SEARCHES) private readonly db: EntityManager,
    private readonly throttle: AccountThrottle,
  ) {}

  /**
   * Runs an export, which ends when its stream closes, and breaks off when its caller may read no more.
   *
   * @throws ApiError limit_reached; what `open` and `requireLive` throw
   */
  async run(exporter: Exporter, open: (readPage: ReadPage) => Promise<Readable>): Promise<Readable> {
    const { accountId } = exporter;
    const max = await findLimit(this.db, accountId, 'exports');
    const running = this.running.get(accountId) ?? 0;
    if (running >= max) throw limitReached('exports', max);
    this.running.set(accountId, running + 1);
    try {
      const stream = await open((read) => this.readPage(exporter, read));
      return stream.once('close', () => this.end(accountId));
    } catch (error) {
      this.end(accountId);
      throw error;
    }
  }

  private readPage<T>({ accountId, requireLive }: Exporter, read: () => Promise<T>): Promise<T> {
    return this.pages.run(accountId, async () => {
      await delay(this.throttle.delayMs(accountId));
      await requireLive();
      const startedAt = performance.now();
      try {
        return await READS_OF_ACCOUNT.run(accountId, read);
      } finally {
        this.throttle.charge(accountId, performance.now() - startedAt);
      }
    });
  }

  private end(accountId: string): void {
    const running = this.running.get(accountId)! - 1;
    if (running === 0) this.running.delete(accountId);
    else this.running.set(accountId, running);
  }
}
