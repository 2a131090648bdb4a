import { Injectable } from '@nestjs/common';
import { type FirstCreation, claimKey, findCreation } from '@signalbox/database/submissions/creations';
import type { IdempotentCall } from '@signalbox/database/submissions/idempotency-keys';
import { type SealedRow, Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { type Subject, asLiveCaller } from '../auth/live-caller.ts';
import { ApiError } from '../errors/api-error.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import { IdempotencyKeys, type KeyedCall, replayed, requireSameBody } from './idempotency.ts';
import type { CreatingCall } from './repeatable-call.ts';

export type { CreatingCall } from './repeatable-call.ts';

/** Refusals of a caller whose key or session ended during the call. */
const OF_CALLER: ReadonlySet<string> = new Set<ErrorCode>(['api_key_invalid', 'session_expired']);

/** A call that creates what outlives its caller. */
export type LiveCall<R extends object = object> = CreatingCall<R> & {
  caller: Caller;
  /** The account or user that it concerns besides its caller. */
  subject?: Subject;
};

/** Creates entities once per idempotency key: a repeat returns the first answer, which is stored sealed. */
@Injectable()
export class Creations {
  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private readonly keys: IdempotencyKeys,
  ) {}

  /**
   * Inserts in one transaction with the key and the audit row; when one of them fails, none is stored.
   *
   * @param created the answer, known before anything is stored
   * @throws ApiError those of idempotency keys
   */
  once<V extends object>(
    call: CreatingCall,
    created: V,
    insert: (db: EntityManager) => Promise<void>,
  ): Promise<V> {
    return this.db.transaction((db) => this.store(db, call, created, insert));
  }

  /**
   * Runs `once` as `asLiveCaller`, for what outlives its caller. An ended caller gets no first answer either.
   *
   * @throws ApiError those of `once` and `asLiveCaller`
   */
  onceLive<V extends object>(
    call: LiveCall,
    created: V,
    insert: (db: EntityManager) => Promise<void>,
  ): Promise<V> {
    const store = (db: EntityManager): Promise<V> => this.store(db, call, created, insert);
    return asLiveCaller(this.db, call.caller, store, call.subject);
  }

  /**
   * Runs a creation that checks something before it calls `once`. When a check refuses the repeat of a call that was
   * answered, for example since its webhook has been deleted meanwhile, this returns the first answer, unless the caller
   * may not call any more.
   *
   * @throws ApiError those of `create`, for a call that is no repeat; those of idempotency keys
   */
  async checked<V extends object>(call: CreatingCall, create: () => Promise<V>): Promise<V> {
    try {
      return await create();
    } catch (error) {
      if (!(error instanceof ApiError) || OF_CALLER.has(error.code)) throw error;
      const keyed = this.keys.read(call.path, call.idempotencyKey, call.request);
      const first = keyed && (await findCreation(this.db, call.accountId, keyed));
      if (!first) throw error;
      return this.replay(call, keyed, first) as V;
    }
  }

  private async store<V extends object>(
    db: EntityManager,
    call: CreatingCall,
    created: V,
    insert: (db: EntityManager) => Promise<void>,
  ): Promise<V> {
    const keyed = this.keys.read(call.path, call.idempotencyKey, call.request);
    const first = keyed && (await this.claim(db, call.accountId, keyed, created));
    if (keyed && first) return this.replay(call, keyed, first) as V;
    await insert(db);
    await call.caller?.audit?.complete(db, created);
    return created;
  }

  /** @throws ApiError idempotency_key_reused */
  private replay(call: CreatingCall, keyed: KeyedCall, first: FirstCreation): object {
    requireSameBody(keyed, first);
    const answer = this.open(first.sealedAnswer, rowOf(call.accountId, keyed)) as object;
    return replayed(call.reply, keyed, first, answer);
  }

  private claim(
    db: EntityManager,
    accountId: string,
    keyed: IdempotentCall,
    created: object,
  ): Promise<FirstCreation | undefined> {
    const sealed = this.sealer.seal(JSON.stringify(created), rowOf(accountId, keyed));
    return claimKey(db, accountId, keyed, sealed);
  }

  /** Opens a stored answer. It is unreadable after its SECRETS_KEY was removed, although the first call succeeded. */
  private open(sealedAnswer: Buffer, row: SealedRow): unknown {
    try {
      return JSON.parse(this.sealer.open(sealedAnswer, row));
    } catch (cause) {
      const message = 'The first response for this Idempotency-Key can no longer be read. Use a new key.';
      throw new ApiError('idempotency_key_reused', message, { cause });
    }
  }
}

function rowOf(accountId: string, { path, key }: IdempotentCall): SealedRow {
  return { table: 'idempotency_key', accountId, id: `${path} ${key}` };
}
