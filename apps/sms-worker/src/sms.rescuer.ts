import { listLostMessages, withAdvisoryLock, claimOverdue } from '@signalbox/database/ops/rescue';
import { LANES } from '@signalbox/domain/lane';
import { messageId } from '@signalbox/domain/message-id';
import type { SmsGateway } from '@signalbox/gateways/sms-gateway';
import { oldestJobAt } from '@signalbox/queues/producer';
import type { ReportJob } from '@signalbox/queues/report-queue';
import type { Logger } from '@signalbox/runtime/logger';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';
import type { SmsBells } from './sms.bells.ts';

/**
 * Rings again for messages that nobody holds any more, and asks gateways for reports they owe. Ringing too often does no harm. Submissions
 * need no rescuer: the turns of their lane find them.
 */
export class SmsRescuer {
  constructor(
    private readonly db: EntityManager,
    private readonly reports: Queue<ReportJob>,
    private readonly bells: SmsBells,
    private readonly gateway: SmsGateway,
    private readonly logger: Logger,
  ) {}

  /** One pass over all that waits. While the queue is away nothing is counted against a row. */
  async rescue(): Promise<void> {
    const overdue = await withAdvisoryLock(this.db, 'sms', async (db) => {
      await this.rescueMessages(db);
      return claimOverdue(db, this.gateway.name, await oldestJobAt(this.reports));
    });
    if (!overdue?.length) return;
    this.logger.warn({ count: overdue.length, gateway: this.gateway.name }, 'report.overdue');
    await this.gateway.query(
      overdue.map(({ submissionId, n, recipient }) => ({ messageId: messageId(submissionId, n), recipient })),
    );
  }

  private async rescueMessages(db: EntityManager): Promise<void> {
    const lost = await listLostMessages(db, LANES);
    if (lost.length === 0) return;
    for (const { lane, submissionIds } of lost) {
      this.logger.warn({ lane, submissions: submissionIds.length }, 'message.rescued');
      this.bells.ringAgain(lane, submissionIds);
    }
  }
}
