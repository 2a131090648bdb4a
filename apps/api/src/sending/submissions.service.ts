import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { cancelSubmission, findProgress } from '@signalbox/database/submissions/progress';
import type { Channel } from '@signalbox/domain/channel';
import { isSubmissionId, parseMessageId } from '@signalbox/domain/message-id';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { SEARCHES } from '../core.module.ts';
import { ApiError } from '../errors/api-error.ts';
import { READS_OF_ACCOUNT } from '../http/costly-calls.ts';
import { type SubmissionView, submissionView } from './submission.view.ts';

/** Reports the progress of an account's submissions, and cancels their pending messages. */
@Injectable()
export class SubmissionsService {
  constructor(
    private readonly db: EntityManager,
    @InjectEntityManager(SEARCHES) private readonly searches: EntityManager,
  ) {}

  /** @throws ApiError message_not_found, also for a submission of another account */
  async get(accountId: string, channel: Channel | null, id: string): Promise<SubmissionView> {
    const progress = isSubmissionId(id)
      ? await findProgress(this.searches, accountId, channel, id)
      : undefined;
    if (!progress) throw notFound(id);
    return submissionView(progress);
  }

  /**
   * Cancels the messages of a submission that no gateway has yet. A repeat changes nothing and returns the same.
   *
   * @throws ApiError message_not_found, also for a submission of another account; those of `requireLiveCaller`
   */
  async cancel(caller: Caller, channel: Channel | null, id: string): Promise<SubmissionView> {
    const { accountId } = caller;
    const read = () => READS_OF_ACCOUNT.run(accountId, () => this.get(accountId, channel, id));
    await read();
    await withAuditAsLiveCaller(this.db, caller, (db) => cancelSubmission(db, accountId, channel, id));
    return read();
  }
}

/** Names the form of an id to a caller who passed that of a message. It does not depend on what is stored. */
function notFound(id: string): ApiError {
  const message = parseMessageId(id);
  if (!message) return new ApiError('message_not_found');
  return new ApiError(
    'message_not_found',
    `The account has no such send. The id of a send has no number: use ${message.submissionId}.`,
  );
}
