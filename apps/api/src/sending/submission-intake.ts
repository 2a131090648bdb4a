import {
  type InsertOutcome,
  type NewSubmission,
  findFirstCall,
  insertSubmissions,
} from '@signalbox/database/submissions/submissions';
import { FAN_OUT_CHUNK, MAX_RECIPIENTS } from '@signalbox/domain/limits';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import type { CreatingCall } from '../http/creations.ts';
import { type IdempotencyKeys, KeyedCalls, replayed } from '../http/idempotency.ts';
import type { LaneBells } from './lane-bells.ts';
import { type SendResult, sendResult } from './send-result.ts';

/** Weights are recipients: one flush carries at most one full bulk more than this. */
const MAX_BATCH = MAX_RECIPIENTS;
const MAX_WAITING = 50 * MAX_RECIPIENTS;

/** What a call asks to be sent; the idempotency key of the call goes with it. */
export type Composed = Omit<NewSubmission, 'idempotency'>;

/** Takes submissions of every channel in: stored first, in group commits, then the bell of their lane. */
export class SubmissionIntake {
  private readonly commit: GroupCommit<NewSubmission, InsertOutcome>;
  private readonly keyedCalls = new KeyedCalls();

  constructor(
    private readonly db: EntityManager,
    private readonly keys: IdempotencyKeys,
    private readonly bells: LaneBells,
  ) {
    this.commit = new GroupCommit((submissions) => insertSubmissions(db, submissions), {
      maxBatch: MAX_BATCH,
      maxWaiting: MAX_WAITING,
      weigh: (submission) => submission.recipients.length,
    });
  }

  /**
   * Accepts one call. When this resolves, the submission is on disk; its messages follow whatever happens to this process. A repeat gets
   * its first answer, even when what it is composed of is gone since.
   *
   * @throws ApiError those of idempotency keys and of `compose`, recipient_opted_out; OverloadedError
   */
  accept(
    { accountId, path, request, idempotencyKey, reply }: CreatingCall,
    compose: () => Promise<Composed>,
  ): Promise<SendResult> {
    const keyed = this.keys.read(path, idempotencyKey, request);
    return this.keyedCalls.run(accountId, keyed, async () => {
      try {
        return await this.store({ ...(await compose()), idempotency: keyed ?? null });
      } catch (error) {
        const first =
          keyed && error instanceof ApiError && (await findFirstCall(this.db, accountId, path, keyed.key));
        if (!first) throw error;
        return replayed(reply, keyed, first, sendResult(first.submissionId, first.recipients, first.content));
      }
    });
  }

  /** Resolves when every accepted call is stored, and rung for. */
  async close(): Promise<void> {
    await this.commit.close();
    await Promise.all(Object.values(this.bells).map((bell) => bell.close()));
  }

  private async store(submission: NewSubmission): Promise<SendResult> {
    const { id, lane, recipients, content, waits } = submission;
    const outcome = await this.commit.add(submission);
    if (outcome === 'opted_out') throw new ApiError('recipient_opted_out');
    if (outcome === 'key_used') throw new ApiError('idempotency_in_progress'); // told if the 48 hours of the first call end this moment
    if (!waits) this.bells[lane].ring([id], Math.min(recipients.length, FAN_OUT_CHUNK));
    return sendResult(id, recipients, 'flash' in content ? content : {});
  }
}
