import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { findLimit } from '@signalbox/database/accounts/limits';
import { EntityManager } from 'typeorm';
import { SEARCHES } from '../core.module.ts';
import { limitReached } from '../http/account-limits.ts';

/** Limits the exports of an account that run at once in this process, so that they leave connections to others. */
@Injectable()
export class Exports {
  private readonly running = new Map<string, number>();

  constructor(@InjectEntityManager(SEARCHES) private readonly db: EntityManager) {}

  /** Runs an export, which ends when its stream closes. @throws ApiError limit_reached; what `open` throws */
  async run(accountId: string, open: () => Promise<Readable>): Promise<Readable> {
    const max = await findLimit(this.db, accountId, 'exports');
    const running = this.running.get(accountId) ?? 0;
    if (running >= max) throw limitReached('exports', max);
    this.running.set(accountId, running + 1);
    try {
      const stream = await open();
      return stream.once('close', () => this.end(accountId));
    } catch (error) {
      this.end(accountId);
      throw error;
    }
  }

  private end(accountId: string): void {
    const running = this.running.get(accountId)! - 1;
    if (running === 0) this.running.delete(accountId);
    else this.running.set(accountId, running);
  }
}
