import { sweepCallbacks } from '@signalbox/database/callbacks';
import { rescueAlone, takeLostCallbacks } from '@signalbox/database/rescue';
import type { CallbackJob } from '@signalbox/queues/callback-queue';
import { oldestJobAt } from '@signalbox/queues/producer';
import type { CallbackIntake } from '@signalbox/runtime/callback-intake';
import type { Logger } from '@signalbox/runtime/logger';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';

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
    const lost = await rescueAlone(this.db, 'callback', async (db) => takeLostCallbacks(db, await oldestJobAt(this.queue)));
    if (!lost?.length) return;
    this.logger.warn({ count: lost.length }, 'callback.rescued');
    for (const { id, sizeBytes } of lost) this.intake.ring(id, sizeBytes);
  }

  /** Forgets what was read more than a week ago. */
  async sweep(): Promise<void> {
    await sweepCallbacks(this.db);
  }
}
