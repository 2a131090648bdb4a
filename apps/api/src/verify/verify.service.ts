import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import { type CodeAttempt, type AttemptOutcome, decideAttempts } from '@signalbox/database/verify/attempts';
import { blindMac, otpMac } from '@signalbox/domain/verify/otp-code';
import { codeCountryOf } from '@signalbox/domain/verify/numbers';
import { OTP_QUEUE } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import { EntityManager } from 'typeorm';
import { ApiConfig } from '../config.ts';
import { ApiError } from '../errors/api-error.ts';
import { CallsInProgress, IdempotencyKeys, replayed } from '../http/idempotency.ts';
import { KeyedLimit } from '../http/keyed-limit.ts';
import type { RepeatableCall } from '../http/repeatable-call.ts';
import { UUID } from '../http/uuid.ts';
import { openFindings } from './guard-findings.ts';
import { type SendCall, type SendOutcome, VERIFY_PATH } from './send-call.ts';
import { decideSends } from './send-batch.ts';
import { refusalOfAttempt } from './send-rules.ts';
import type { ValidateRequest, VerifyRequest } from './verify.dto.ts';

const LIMITS = { maxBatch: 200, maxWaiting: 10_000 };
const NONCE_BYTES = 16;

/** Requests codes, and validates submitted ones. */
@Injectable()
export class VerifyService implements OnModuleDestroy {
  private readonly sends: GroupCommit<SendCall, SendOutcome>;
  private readonly attempts: GroupCommit<SubmittedCode, AttemptOutcome | undefined>;
  private readonly mutex = new KeyedLimit('the same code');
  private readonly keyedCalls = new CallsInProgress();
  /** The current pepper and, during a rotation, the previous one. */
  private readonly peppers: string[];

  constructor(
    db: EntityManager,
    config: ApiConfig,
    private readonly queues: Queues,
    private readonly keys: IdempotencyKeys,
  ) {
    this.peppers = config.OTP_PEPPER.split(',');
    const options = { ...LIMITS, isItemFault: isRefusedValue };
    const findings = openFindings(db);
    this.sends = new GroupCommit((calls) => decideSends(db, calls, findings), {
      ...options,
      accountOf: ({ caller }) => caller.accountId,
    });
    this.attempts = new GroupCommit((codes) => this.compare(db, codes), {
      ...options,
      accountOf: ({ accountId }) => accountId,
    });
  }

  /**
   * Accepts a request for a code. When this resolves, the verification is on disk: its code is sent even if this
   * process dies.
   *
   * @returns the verify id
   * @throws ApiError verification_config_not_found, country_not_allowed, verification_blocked, otp_send_limit,
   * otp_attempts_exceeded; those of idempotency keys; for codes over the chat app only: template_not_approved,
   * template_not_found, sender_not_found
   */
  async send({ caller, idempotencyKey, reply }: RepeatableCall, request: VerifyRequest): Promise<string> {
    const { config: configId, recipient } = request;
    const idempotency = this.keys.read(VERIFY_PATH, idempotencyKey, { configId, recipient });
    const call = {
      id: randomUUIDv7(),
      caller,
      configId,
      recipient,
      country: codeCountryOf(recipient),
      idempotency: idempotency ?? null,
    };
    const outcome = await this.keyedCalls.run(caller.accountId, idempotency, () => this.sends.add(call));
    if (outcome.result === 'refused') throw outcome.error;
    if (outcome.result === 'repeated')
      return replayed(reply, idempotency!, outcome.first, outcome.first.verifyId);
    this.queues.get(OTP_QUEUE).enqueue([call.id]);
    return call.id;
  }

  /**
   * Validates a code. A right code is used up.
   *
   * @throws ApiError verification_not_found, otp_incorrect, otp_already_used, otp_expired, otp_attempts_exceeded
   */
  async validate(accountId: string, { verifyId, otp }: ValidateRequest): Promise<string> {
    if (!UUID.test(verifyId)) throw new ApiError('verification_not_found');
    const code = { accountId, verifyId, otp };
    // One attempt of a verification at a time, so that none is twice in a batch.
    const outcome = await this.mutex.run(keyOf(code), () => this.attempts.add(code));
    if (outcome?.outcome !== 'right') throw toRefusal(outcome);
    return verifyId;
  }

  /** Resolves when every accepted call is stored and enqueued. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.sends.close(), this.attempts.close()]);
  }

  private async compare(db: EntityManager, codes: SubmittedCode[]): Promise<(AttemptOutcome | undefined)[]> {
    const nonce = randomBytes(NONCE_BYTES);
    const outcomes = await decideAttempts(
      db,
      codes.map((code) => this.toAttempt(code, nonce)),
      nonce,
    );
    const byKey = new Map(outcomes.map((outcome) => [keyOf(outcome), outcome]));
    return codes.map((code) => byKey.get(keyOf(code)));
  }

  private toAttempt({ accountId, verifyId, otp }: SubmittedCode, nonce: Buffer): CodeAttempt {
    const blind = (pepper: string): Buffer => blindMac(otpMac(pepper, accountId, verifyId, otp), nonce);
    const [blinded, blindedBefore] = this.peppers.map(blind);
    return { verifyId, accountId, blinded: blinded!, blindedBefore: blindedBefore ?? null };
  }
}

interface SubmittedCode {
  accountId: string;
  verifyId: string;
  otp: string;
}

/** Names a verification within its account: another account's call with its id neither delays nor answers it. */
function keyOf({ accountId, verifyId }: Pick<SubmittedCode, 'accountId' | 'verifyId'>): string {
  return `${accountId} ${verifyId}`;
}

function toRefusal(outcome: AttemptOutcome | undefined): ApiError {
  if (outcome === undefined) return new ApiError('verification_not_found');
  const { attemptsRemaining, history } = outcome;
  if (outcome.outcome === 'used') return new ApiError('otp_already_used');
  if (outcome.outcome === 'expired') return new ApiError('otp_expired');
  if (outcome.outcome === 'locked' || outcome.outcome === 'spent')
    return refusalOfAttempt(outcome.outcome, history);
  return new ApiError('otp_incorrect', undefined, { extra: { attemptsRemaining } });
}
