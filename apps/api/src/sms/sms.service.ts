import { randomUUIDv7 } from 'node:crypto';
import type { KeyHolder } from '@signalbox/database/api-keys';
import type { SmsTemplate } from '@signalbox/database/entities/sms-template';
import { wouldRefuse } from '@signalbox/database/opt-outs';
import { type InsertOutcome, type NewSubmission, type SmsContent, findFirstCall, insertSubmissions } from '@signalbox/database/submissions';
import type { Lane } from '@signalbox/domain/lane';
import { FAN_OUT_CHUNK, MAX_RECIPIENTS } from '@signalbox/domain/limits';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { Sealer } from '@signalbox/runtime/seal';
import type { FastifyReply } from 'fastify';
import type { EntityManager } from 'typeorm';
import type { RateGate } from '../auth/rate-gate.ts';
import { ApiError } from '../errors/api-error.ts';
import { type IdempotencyKeys, type KeyedCall, KeyedCalls, replayed } from '../http/idempotency.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import type { LaneBells } from './lane-bells.ts';
import { type SendResult, sendResult } from './send-result.ts';
import type { ComposedSms, SmsComposer } from './sms.composer.ts';
import type { SmsRequest } from './sms.dto.ts';

const SMS_PATH = '/v1/sms';

type NewSms = NewSubmission & { lane: Lane; content: SmsContent };

/** Weights are recipients: one flush carries at most one full bulk more than this. */
const MAX_BATCH = MAX_RECIPIENTS;
const MAX_WAITING = 50 * MAX_RECIPIENTS;

/** Accepts SMS: stored first, then the bell. */
export class SmsService {
  private readonly commit: GroupCommit<NewSubmission, InsertOutcome>;
  private readonly keyedCalls = new KeyedCalls();

  constructor(
    private readonly db: EntityManager,
    private readonly bells: LaneBells,
    private readonly sealer: Sealer,
    private readonly gates: { rate: RateGate; keys: IdempotencyKeys },
    private readonly composer: SmsComposer,
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
   * @throws ApiError rate_limited, idempotency_key_invalid, idempotency_key_reused, idempotency_in_progress, recipient_opted_out, those of a template;
   *   OverloadedError
   */
  async submit(caller: KeyHolder, request: SmsRequest, idempotencyKey: string | undefined, reply: FastifyReply): Promise<SendResult> {
    const call = this.gates.keys.read(SMS_PATH, idempotencyKey, request);
    if (request.recipients.length > 1) await this.gates.rate.pass(caller, request.recipients.length - 1, reply);
    return this.keyedCalls.run(caller.accountId, call, () => this.accept(caller, request, call, reply));
  }

  /** Does all that `submit` would refuse a call for, and stores nothing. @throws ApiError recipient_opted_out, those of a template */
  async tryOut({ accountId }: KeyHolder, request: SmsRequest): Promise<DryRun> {
    const composed = await this.composer.compose(accountId, request);
    const [only = '', ...others] = request.recipients;
    const isRefused = others.length === 0 && (await wouldRefuse(this.db, accountId, request.type, composed.sender, only));
    if (isRefused) throw new ApiError('recipient_opted_out');
    return dryRun(request, composed, this.composer);
  }

  /** Resolves when every accepted call is stored, and rung for. */
  async close(): Promise<void> {
    await this.commit.close();
    await Promise.all(Object.values(this.bells).map((bell) => bell.close()));
  }

  /** A repeat gets its first answer even when the template is gone since. */
  private async accept(caller: KeyHolder, request: SmsRequest, call: KeyedCall | undefined, reply: FastifyReply): Promise<SendResult> {
    const { accountId } = caller;
    try {
      const composed = await this.composer.compose(accountId, request);
      return await this.store(this.toSubmission(caller, request, composed, call), reply);
    } catch (error) {
      const repeated = call && error instanceof ApiError && (await findFirstCall(this.db, accountId, call.path, call.key));
      if (!repeated) throw error;
      return this.repeat(accountId, call, reply);
    }
  }

  private async store(submission: NewSms, reply: FastifyReply): Promise<SendResult> {
    const { id, lane, recipients, content, idempotency } = submission;
    const outcome = await this.commit.add(submission);
    if (outcome === 'opted_out') throw new ApiError('recipient_opted_out');
    if (outcome === 'key_used' && idempotency) return this.repeat(submission.accountId, idempotency, reply);
    if (!submission.waits) this.bells[lane].ring([id], Math.min(recipients.length, FAN_OUT_CHUNK));
    return sendResult(id, recipients, content);
  }

  private async repeat(accountId: string, call: KeyedCall, reply: FastifyReply): Promise<SendResult> {
    const first = await findFirstCall(this.db, accountId, call.path, call.key);
    if (!first) throw new ApiError('idempotency_in_progress'); // its 48 hours ended this moment
    return replayed(reply, call, first, sendResult(first.submissionId, first.recipients, first.content));
  }

  private toSubmission({ accountId, isPaced }: KeyHolder, request: SmsRequest, composed: ComposedSms, call: KeyedCall | undefined): NewSms {
    const { type: lane, recipients, campaignName = null, clientRef = null, ratePerSecond = null } = request;
    const { sender, custom, credits, creditsEach } = composed;
    const secret = lane === 'OTP' ? request.text : undefined; // an OTP has its text in the call: the other variants are TRANS
    return {
      id: randomUUIDv7(),
      accountId,
      channel: 'sms',
      kind: 'text',
      lane,
      sender,
      content: contentOf(request, composed, secret !== undefined),
      sealed: secret === undefined ? null : this.sealer.seal(secret),
      recipients,
      custom,
      credits,
      creditsEach,
      campaign: campaignName,
      clientRef,
      sendAt: request.goesOutAt,
      expiresAt: request.endsAt,
      ratePerSecond,
      waits: request.goesOutAt !== null || ratePerSecond !== null || isPaced,
      idempotency: call ?? null,
    };
  }
}

function contentOf(request: SmsRequest, { pieces, links, template }: ComposedSms, isSealed: boolean): SmsContent {
  const [text, ...more] = pieces;
  const isSame = typeof text === 'string' && more.length === 0;
  return {
    ...(!isSealed && (isSame ? { text } : { pieces })),
    ...(links && { links }),
    ...(template && { templateId: template.id, ...dltOf(template) }),
    unicode: request.unicode === 1,
    flash: request.flash === 1,
  };
}

function dltOf({ dltEntityId: entityId, dltTemplateId: templateId }: SmsTemplate): Pick<SmsContent, 'dlt'> {
  return entityId === null && templateId === null ? {} : { dlt: { entityId, templateId } };
}
