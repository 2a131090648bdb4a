import { Injectable } from '@nestjs/common';
import {
  type SubmissionProgress,
  cancelSubmission,
  findProgress,
} from '@signalbox/database/submissions/progress';
import type { Channel } from '@signalbox/database/submissions/submissions';
import { isSubmissionId } from '@signalbox/domain/message-id';
import { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';

/** Looks up submissions of an account, and cancels what of them still waits. */
@Injectable()
export class SubmissionsService {
  constructor(private readonly db: EntityManager) {}

  /** @throws ApiError message_not_found, also for another tenant's submission */
  async get(accountId: string, channel: Channel, id: string): Promise<SubmissionProgress> {
    const progress = isSubmissionId(id) ? await findProgress(this.db, accountId, channel, id) : undefined;
    if (!progress) throw new ApiError('message_not_found');
    return progress;
  }

  /**
   * Cancels what of a submission is not with a gateway yet; a repeat changes nothing and tells the same.
   *
   * @throws ApiError message_not_found, also for another tenant's submission
   */
  async cancel(accountId: string, channel: Channel, id: string): Promise<SubmissionProgress> {
    if (isSubmissionId(id)) await cancelSubmission(this.db, accountId, channel, id);
    return this.get(accountId, channel, id);
  }
}
