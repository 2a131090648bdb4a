import { listLostMessages, rescueAlone, takeLostSubmissions, takeOverdue } from '@signalbox/database/rescue';
import { FAN_OUT_CHUNK } from '@signalbox/domain/limits';
import { LANES, type Lane } from '@signalbox/domain/lane';
import { messageId } from '@signalbox/domain/message-id';
import type { SmsGateway } from '@signalbox/gateways/sms-gateway';
import { oldestJobAt } from '@signalbox/queues/producer';
import type { ReportJob } from '@signalbox/queues/report-queue';
import type { SmsJob } from '@signalbox/queues/sms-queue';
import type { Logger } from '@signalbox/runtime/logger';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';
import type { SmsBells } from './sms.bells.ts';

/** The queues whose oldest job tells which rows have none. */
export interface RescuedQueues {
  lanes: Record<Lane, Queue<SmsJob>>;
  reports: Queue<ReportJob>;
}

/** Rings again for rows whose job was lost, and asks gateways for reports they owe. Ringing too often does no harm. */
export class SmsRescuer {
  constructor(
    private readonly db: EntityManager,
    private readonly queues: RescuedQueues,
    private readonly bells: SmsBells,
    private readonly gateway: SmsGateway,
    private readonly logger: Logger,
  ) {}

  /** One pass over all that waits. While the queue is away nothing is counted against a row. */
  async rescue(): Promise<void> {
    const overdue = await rescueAlone(this.db, 'sms', async (db) => {
      for (const lane of LANES) await this.rescueSubmissions(db, lane);
      await this.rescueMessages(db);
      return takeOverdue(db, this.gateway.name, await oldestJobAt(this.queues.reports));
    });
    if (!overdue?.length) return;
    this.logger.warn({ count: overdue.length, gateway: this.gateway.name }, 'report.overdue');
    await this.gateway.query(overdue.map(({ submissionId, n, recipient }) => ({ messageId: messageId(submissionId, n), recipient })));
  }

  private async rescueSubmissions(db: EntityManager, lane: Lane): Promise<void> {
    const lost = await takeLostSubmissions(db, lane, await oldestJobAt(this.queues.lanes[lane]));
    if (lost.length === 0) return;
    this.logger.warn({ lane, count: lost.length }, 'submission.rescued');
    for (const { id, recipients } of lost) this.bells.ring(lane, [id], Math.min(recipients, FAN_OUT_CHUNK));
  }

  private async rescueMessages(db: EntityManager): Promise<void> {
    const lost = await listLostMessages(db);
    if (lost.length === 0) return;
    this.logger.warn({ submissions: lost.length }, 'message.rescued');
    for (const { lane, submissionId, messages } of lost) this.bells.ring(lane, [submissionId], Math.min(messages, FAN_OUT_CHUNK));
  }
}
