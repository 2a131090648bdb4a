import { randomUUIDv7 } from 'node:crypto';
import type { KeyHolder } from '@signalbox/database/api-keys';
import { type NewSubmission, findFirstCall, insertSubmissions } from '@signalbox/database/submissions';
import { FAN_OUT_CHUNK, MAX_RECIPIENTS } from '@signalbox/domain/limits';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { Sealer } from '@signalbox/runtime/seal';
import type { FastifyReply } from 'fastify';
import type { EntityManager } from 'typeorm';
import type { RateGate } from '../auth/rate-gate.ts';
import { ApiError } from '../errors/api-error.ts';
import { type IdempotencyKeys, type KeyedCall, KeyedCalls, replayed } from '../http/idempotency.ts';
import type { LaneBells } from './lane-bells.ts';
import { type SendResult, sendResult } from './send-result.ts';
import type { SmsRequest } from './sms.dto.ts';

const SMS_PATH = '/v1/sms';

/** Weights are recipients: one flush carries at most one full bulk more than this. */
const MAX_BATCH = MAX_RECIPIENTS;
const MAX_WAITING = 50 * MAX_RECIPIENTS;

/** Accepts SMS: stored first, then the bell. */
export class SmsService {
  private readonly commit: GroupCommit<NewSubmission, 'stored' | 'key_used'>;
  private readonly keyedCalls = new KeyedCalls();

  constructor(
    private readonly db: EntityManager,
    private readonly bells: LaneBells,
    private readonly sealer: Sealer,
    private readonly rate: RateGate,
    private readonly keys: IdempotencyKeys,
  ) {
    this.commit = new GroupCommit((submissions) => insertSubmissions(db, submissions), {
      maxBatch: MAX_BATCH,
      maxWaiting: MAX_WAITING,
      weigh: (submission) => submission.recipients.length,
    });
  }

  /**
   * Accepts one call. When this resolves, the submission is on disk; its messages follow whatever happens to this process.
   *
   * @throws ApiError rate_limited, idempotency_key_invalid, idempotency_key_reused, idempotency_in_progress; OverloadedError
   */
  async submit(caller: KeyHolder, request: SmsRequest, idempotencyKey: string | undefined, reply: FastifyReply): Promise<SendResult> {
    const call = this.keys.read(SMS_PATH, idempotencyKey, request);
    if (request.recipients.length > 1) await this.rate.pass(caller, request.recipients.length - 1, reply);
    return this.keyedCalls.run(caller.accountId, call, () => this.store(this.toSubmission(caller.accountId, request, call), reply));
  }

  /** Resolves when every accepted call is stored, and rung for. */
  async close(): Promise<void> {
    await this.commit.close();
    await Promise.all(Object.values(this.bells).map((bell) => bell.close()));
  }

  private async store(submission: NewSubmission, reply: FastifyReply): Promise<SendResult> {
    const { id, lane, recipients, content, idempotency } = submission;
    const outcome = await this.commit.add(submission);
    if (outcome === 'key_used' && idempotency) return this.repeat(submission.accountId, idempotency, reply);
    if (!submission.waits) this.bells[lane].ring([id], Math.min(recipients.length, FAN_OUT_CHUNK));
    return sendResult(id, recipients, content);
  }

  private async repeat(accountId: string, call: KeyedCall, reply: FastifyReply): Promise<SendResult> {
    const first = await findFirstCall(this.db, accountId, call.path, call.key);
    if (!first) throw new ApiError('idempotency_in_progress'); // its 48 hours ended this moment
    return replayed(reply, call, first, sendResult(first.submissionId, first.recipients, first.content));
  }

  private toSubmission(accountId: string, request: SmsRequest, call: KeyedCall | undefined): NewSubmission {
    const { type: lane, sender, text, recipients, credits, campaignName = null, clientRef = null, ratePerSecond = null } = request;
    const flags = { unicode: request.unicode === 1, flash: request.flash === 1 };
    const isSecret = lane === 'OTP';
    return {
      id: randomUUIDv7(),
      accountId,
      lane,
      sender,
      content: isSecret ? flags : { text, ...flags },
      sealed: isSecret ? this.sealer.seal(text) : null,
      recipients,
      custom: null,
      credits,
      creditsEach: null,
      campaign: campaignName,
      clientRef,
      sendAt: request.goesOutAt,
      expiresAt: request.endsAt,
      ratePerSecond,
      waits: request.goesOutAt !== null || ratePerSecond !== null,
      idempotency: call ?? null,
    };
  }
}
