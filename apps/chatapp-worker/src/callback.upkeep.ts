import { sweepCallbacks } from '@signalbox/database/reports/callbacks';
import { withAdvisoryLock, claimLostCallbacks } from '@signalbox/database/ops/rescue';
import type { CallbackJob } from '@signalbox/queues/callback-queue';
import { oldestJobAt } from '@signalbox/queues/producer';
import type { CallbackIntake } from '@signalbox/runtime/callback-intake';
import type { Logger } from '@signalbox/runtime/logger';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';

/** How long one sweep goes on at most: what is left then is for the next. */
const SWEEP_MS = 20_000;

/** What is done about callbacks beside reading them. */
export class CallbackUpkeep {
  constructor(
    private readonly db: EntityManager,
    private readonly queue: Pick<Queue<CallbackJob>, 'getJobs'>,
    private readonly intake: CallbackIntake,
    private readonly logger: Logger,
  ) {}

  /** Rings again for callbacks whose job was lost. Ringing too often does no harm. */
  async rescue(): Promise<void> {
    const lost = await withAdvisoryLock(this.db, 'callback', async (db) =>
      claimLostCallbacks(db, await oldestJobAt(this.queue)),
    );
    if (!lost?.length) return;
    this.logger.warn({ count: lost.length }, 'callback.rescued');
    for (const { id, sizeBytes } of lost) this.intake.ring(id, sizeBytes);
  }

  /** Forgets what was read more than a week ago, for as long as one sweep may take. */
  async sweep(): Promise<void> {
    const endAt = Date.now() + SWEEP_MS;
    while ((await withAdvisoryLock(this.db, 'callback sweep', sweepCallbacks)) && Date.now() < endAt);
  }
}
