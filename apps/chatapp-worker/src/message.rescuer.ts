import { listLostMessages, withAdvisoryLock, claimOverdue } from '@signalbox/database/ops/rescue';
import { CHAT_LANES } from '@signalbox/domain/lane';
import { messageId } from '@signalbox/domain/message-id';
import type { ChatAppGateway } from '@signalbox/gateways/chat-app-gateway';
import { oldestJobAt } from '@signalbox/queues/producer';
import type { Logger } from '@signalbox/runtime/logger';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';
import type { ChatappBells } from './chatapp.bells.ts';

/**
 * Rings again for messages that nobody holds any more, and asks the gateway for what it owes about others. Ringing too often does no harm. Submissions
 * need no rescuer: the turns of their lane find them.
 */
export class MessageRescuer {
  /** @param queues of callbacks and reports: what waits in them is not overdue */
  constructor(
    private readonly db: EntityManager,
    private readonly queues: readonly Pick<Queue, 'getJobs'>[],
    private readonly bells: ChatappBells,
    private readonly gateway: ChatAppGateway,
    private readonly logger: Logger,
  ) {}

  /** One pass over all that waits. While the queue is away nothing is counted against a row. */
  async rescue(): Promise<void> {
    const overdue = await withAdvisoryLock(this.db, 'chat messages', async (db) => {
      await this.rescueMessages(db);
      const oldest = await Promise.all(this.queues.map(oldestJobAt));
      return claimOverdue(db, this.gateway.name, new Date(Math.min(...oldest.map((at) => at.getTime()))));
    });
    if (!overdue?.length) return;
    this.logger.warn({ count: overdue.length, gateway: this.gateway.name }, 'report.overdue');
    await this.gateway.query(
      overdue.map(({ submissionId, n, recipient }) => ({ messageId: messageId(submissionId, n), recipient })),
    );
  }

  private async rescueMessages(db: EntityManager): Promise<void> {
    for (const { lane, submissionIds } of await listLostMessages(db, CHAT_LANES)) {
      this.logger.warn({ lane, submissions: submissionIds.length }, 'message.rescued');
      this.bells.ringAgain(lane, submissionIds);
    }
  }
}
