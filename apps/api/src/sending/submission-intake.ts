import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import { findFirstCall } from '@signalbox/database/submissions/idempotency-keys';
import {
  type InsertOutcome,
  type NewSubmission,
  insertSubmissions,
} from '@signalbox/database/submissions/submissions';
import type { Lane } from '@signalbox/domain/lane';
import { FAN_OUT_CHUNK, MAX_RECIPIENTS, MAX_SMALL_SEND } from '@signalbox/domain/limits';
import { countAccepted } from '@signalbox/messaging/telemetry/message-metrics';
import { LANE_QUEUES } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import { GroupCommit, INTAKE_GAP } from '@signalbox/runtime/group-commit';
import type { FastifyReply } from 'fastify';
import { EntityManager } from 'typeorm';
import { ACCEPTS } from '../core.module.ts';
import { ApiError } from '../errors/api-error.ts';
import { CallsInProgress, IdempotencyKeys, replayed } from '../http/idempotency.ts';
import type { CreatingCall } from '../http/repeatable-call.ts';
import { noteSend } from '../ops/request-trace.ts';
import { type SendResult, sendResult } from './send-result.ts';

/** Counted in recipients. A flush holds as many as the largest call; a call that would exceed `maxWaiting` is refused. */
const LIMITS = { maxBatch: MAX_RECIPIENTS, maxWaiting: 50 * MAX_RECIPIENTS };

/** A submission as a channel composes it, without the idempotency key of its call. */
export type Composed = Omit<NewSubmission, 'idempotency'>;

/**
 * Accepts submissions of every channel: stores them in group commits, then enqueues them to their lane. Large sends
 * have separate commits and connections, so that no other call waits while thousands of recipients are stored.
 */
@Injectable()
export class SubmissionIntake implements OnModuleDestroy {
  private readonly small: GroupCommit<NewSubmission, InsertOutcome>;
  private readonly bulk: GroupCommit<NewSubmission, InsertOutcome>;
  private readonly keyedCalls = new CallsInProgress();

  constructor(
    private readonly db: EntityManager,
    @InjectEntityManager(ACCEPTS) accepts: EntityManager,
    private readonly keys: IdempotencyKeys,
    private readonly queues: Queues,
  ) {
    const open = (name: string, by: EntityManager): GroupCommit<NewSubmission, InsertOutcome> =>
      new GroupCommit((submissions) => insertSubmissions(by, submissions), {
        name,
        ...LIMITS,
        ...INTAKE_GAP,
        weigh: (submission) => submission.recipients.length,
        accountOf: ({ accountId }) => accountId,
        isItemFault: isRefusedValue,
      });
    this.small = open('accept', accepts);
    this.bulk = open('accept bulk', db);
  }

  /**
   * Accepts one call. When this resolves, the submission is on disk and survives this process. A repeat returns the
   * first answer, even when its template or sender has since been deleted.
   *
   * @throws ApiError those of idempotency keys and of `compose`, recipient_opted_out; OverloadedError
   */
  accept(
    { accountId, path, request, idempotencyKey, reply }: CreatingCall,
    compose: () => Composed | Promise<Composed>,
  ): Promise<SendResult> {
    const keyed = this.keys.read(path, idempotencyKey, request);
    if (!keyed) return this.storeComposed(compose(), reply);
    return this.keyedCalls.run(accountId, keyed, async () => {
      try {
        return await this.store({ ...(await compose()), idempotency: keyed }, reply);
      } catch (error) {
        const first = error instanceof ApiError && (await findFirstCall(this.db, accountId, path, keyed.key));
        if (!first) throw error;
        const { id, recipients, content } = first.send ?? refuseErased();
        return replayed(reply, keyed, first, sendResult(id, recipients, content));
      }
    });
  }

  /** Resolves when every accepted call is stored and enqueued. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.small.close(), this.bulk.close()]);
  }

  /** Nearly all calls are composed without waiting, and get no promise for it. */
  private storeComposed(composed: Composed | Promise<Composed>, reply: FastifyReply): Promise<SendResult> {
    if (composed instanceof Promise)
      return composed.then((submission) => this.storeComposed(submission, reply));
    return this.store(Object.assign(composed, { idempotency: null }), reply);
  }

  private async store(submission: NewSubmission, reply: FastifyReply): Promise<SendResult> {
    const { id, lane, recipients, content, waits } = submission;
    const commit = recipients.length > MAX_SMALL_SEND ? this.bulk : this.small;
    const outcome = await commit.add(submission);
    if (outcome === 'opted_out') throw new ApiError('recipient_opted_out');
    // `accept` catches this and replays the first answer. The client gets the error only if the key has expired since.
    if (outcome === 'key_used') throw new ApiError('idempotency_in_progress');
    countAccepted(lane, recipients.length);
    noteSend(reply.request, id);
    if (!waits) this.enqueue(lane, id, recipients.length);
    return sendResult(id, recipients, 'flash' in content ? content : {});
  }

  /** A job fans out one chunk of each submission, so a larger submission weighs one chunk. */
  private enqueue(lane: Lane, id: string, recipients: number): void {
    this.queues.get(LANE_QUEUES[lane]).enqueue([id], Math.min(recipients, FAN_OUT_CHUNK));
  }
}

/** @throws ApiError idempotency_key_reused */
function refuseErased(): never {
  const message = 'What the first call with this Idempotency-Key sent was erased. Use a new key.';
  throw new ApiError('idempotency_key_reused', message);
}
