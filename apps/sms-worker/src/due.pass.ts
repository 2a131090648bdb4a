import { readyDue } from '@signalbox/database/submissions';
import { FAN_OUT_CHUNK } from '@signalbox/domain/limits';
import type { EntityManager } from 'typeorm';
import type { SmsBells } from './sms.bells.ts';

/** Makes submissions ready whose time has come, and rings for them. Every process may do it at once: each takes what the others leave. */
export class DuePass {
  constructor(
    private readonly db: EntityManager,
    private readonly bells: SmsBells,
  ) {}

  async run(): Promise<void> {
    for (const { id, lane, recipients } of await readyDue(this.db)) this.bells.ring(lane, [id], Math.min(recipients, FAN_OUT_CHUNK));
  }
}
