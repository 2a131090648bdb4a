import { claimLostVerifications, withAdvisoryLock } from '@signalbox/database/ops/rescue';
import { countEnded, expireVerifications, sweepVerifications } from '@signalbox/database/verify/upkeep';
import type { OtpJob } from '@signalbox/queues/otp-queue';
import { oldestJobAt } from '@signalbox/queues/producer';
import type { Bell } from '@signalbox/runtime/bell';
import type { Logger } from '@signalbox/runtime/logger';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';

/** What is done about verifications beside making their codes. Each pass takes a bounded number of rows, which no other pass takes. */
export class OtpUpkeep {
  /** @param bell rings for verifications that wait for their code */
  constructor(
    private readonly db: EntityManager,
    private readonly queue: Queue<OtpJob>,
    private readonly bell: Bell,
    private readonly logger: Logger,
  ) {}

  /** Ends what is over, and counts what has ended. */
  async settle(): Promise<void> {
    await expireVerifications(this.db);
    await countEnded(this.db);
  }

  /** Rings again for verifications whose job was lost. */
  async rescue(): Promise<void> {
    const oldest = await oldestJobAt(this.queue);
    const lost = (await withAdvisoryLock(this.db, 'otp', (db) => claimLostVerifications(db, oldest))) ?? [];
    if (lost.length === 0) return;
    this.logger.warn({ count: lost.length }, 'verification.rescued');
    this.bell.ring(lost);
  }

  /** Forgets what ended more than a day ago. */
  async sweep(): Promise<void> {
    await sweepVerifications(this.db);
  }
}
