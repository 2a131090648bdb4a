import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { type Try, type TryOutcome, tryCodes } from '@signalbox/database/verify/tries';
import { countryOf } from '@signalbox/domain/routing/country';
import { blindMac, otpMac } from '@signalbox/domain/verify/otp-code';
import type { Bell } from '@signalbox/runtime/bell';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { FastifyReply } from 'fastify';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import { type IdempotencyKeys, KeyedCalls, replayed } from '../http/idempotency.ts';
import { UUID } from '../http/uuid.ts';
import { type SendCall, type SendOutcome, SendRound, VERIFY_PATH } from './send-round.ts';
import { numberLocked } from './send-rules.ts';
import type { ValidateRequest, VerifyRequest } from './verify.dto.ts';

const MAX_BATCH = 200;
const MAX_WAITING = 10_000;
const NONCE_BYTES = 16;

/** What stands for the country of satellite phones and the like; no country has this code (ISO 3166-1). */
const UNKNOWN_COUNTRY = 'ZZ';

/** Has codes made, and tries those that people typed. */
export class VerifyService {
  private readonly sends: GroupCommit<SendCall, SendOutcome>;
  private readonly tries: GroupCommit<TypedCode, TryOutcome | undefined>;
  private readonly turns = new Turns();
  private readonly keyedCalls = new KeyedCalls();

  /** @param peppers the one in use and, while codes made with it live, the one before */
  constructor(
    db: EntityManager,
    private readonly bell: Bell,
    private readonly peppers: string[],
    private readonly keys: IdempotencyKeys,
  ) {
    const options = { maxBatch: MAX_BATCH, maxWaiting: MAX_WAITING };
    this.sends = new GroupCommit(
      (calls) => db.transaction((transaction) => new SendRound(transaction, calls).run()),
      options,
    );
    this.tries = new GroupCommit((codes) => this.compare(db, codes), options);
  }

  /**
   * Accepts a call for a code. When this resolves, the verification is on disk; its code is made and sent whatever happens to this process.
   *
   * @returns the verify id
   * @throws ApiError verification_config_not_found, country_not_allowed, verification_blocked, otp_send_limit, otp_attempts_exceeded, those of
   *   idempotency keys, and of a code that can go over the chat app only: template_not_approved, template_not_found, sender_not_found
   */
  async send(
    caller: KeyHolder,
    request: VerifyRequest,
    idempotencyKey: string | undefined,
    reply: FastifyReply,
  ): Promise<string> {
    const { config: configId, recipient } = request;
    const idempotency = this.keys.read(VERIFY_PATH, idempotencyKey, { configId, recipient });
    const call = {
      id: randomUUIDv7(),
      caller,
      configId,
      recipient,
      country: countryOf(recipient) ?? UNKNOWN_COUNTRY,
      idempotency: idempotency ?? null,
    };
    const outcome = await this.keyedCalls.run(caller.accountId, idempotency, () => this.sends.add(call));
    if (outcome.result === 'refused') throw outcome.error;
    if (outcome.result === 'repeated')
      return replayed(reply, idempotency!, outcome.first, outcome.first.verifyId);
    this.bell.ring([call.id]);
    return call.id;
  }

  /**
   * Tries a code.
   *
   * @throws ApiError verification_not_found, otp_incorrect, otp_already_used, otp_expired, otp_attempts_exceeded
   */
  async validate(accountId: string, { verifyId, otp }: ValidateRequest): Promise<string> {
    if (!UUID.test(verifyId)) throw new ApiError('verification_not_found');
    const outcome = await this.turns.take(verifyId, () => this.tries.add({ accountId, verifyId, otp }));
    if (outcome?.outcome !== 'right') throw toRefusal(outcome);
    return verifyId;
  }

  /** Resolves when every accepted call is stored, and rung for. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.sends.close(), this.tries.close()]);
    await this.bell.close();
  }

  private async compare(db: EntityManager, codes: TypedCode[]): Promise<(TryOutcome | undefined)[]> {
    const nonce = randomBytes(NONCE_BYTES);
    const outcomes = await tryCodes(
      db,
      codes.map((code) => this.toTry(code, nonce)),
      nonce,
    );
    const byId = new Map(outcomes.map((outcome) => [outcome.verifyId, outcome]));
    return codes.map(({ verifyId }) => byId.get(verifyId));
  }

  private toTry({ accountId, verifyId, otp }: TypedCode, nonce: Buffer): Try {
    const blind = (pepper: string): Buffer => blindMac(otpMac(pepper, accountId, verifyId, otp), nonce);
    const [blinded, blindedBefore] = this.peppers.map(blind);
    return { verifyId, accountId, blinded: blinded!, blindedBefore: blindedBefore ?? null };
  }
}

interface TypedCode {
  accountId: string;
  verifyId: string;
  otp: string;
}

function toRefusal(outcome: TryOutcome | undefined): ApiError {
  if (outcome === undefined) return new ApiError('verification_not_found');
  const { attemptsRemaining, waitSeconds } = outcome;
  if (outcome.outcome === 'used') return new ApiError('otp_already_used');
  if (outcome.outcome === 'expired') return new ApiError('otp_expired');
  if (outcome.outcome === 'locked') return numberLocked(waitSeconds);
  if (outcome.outcome === 'spent')
    return new ApiError('otp_attempts_exceeded', undefined, { retryAfterSeconds: waitSeconds });
  return new ApiError('otp_incorrect', undefined, { extra: { attemptsRemaining } });
}

/** Lets the tries of one verification come one after the other, so that none is twice in a batch. Others never wait for them. */
class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  async take<R>(id: string, work: () => Promise<R>): Promise<R> {
    const turn = (this.last.get(id) ?? Promise.resolve()).then(work, work);
    this.last.set(id, turn);
    try {
      return await turn;
    } finally {
      if (this.last.get(id) === turn) this.last.delete(id);
    }
  }
}
