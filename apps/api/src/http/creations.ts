import { Injectable } from '@nestjs/common';
import { claimKey } from '@signalbox/database/submissions/creations';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import { IdempotencyKeys, replayed, requireSameBody } from './idempotency.ts';
import type { CreatingCall } from './repeatable-call.ts';

export type { CreatingCall } from './repeatable-call.ts';

/** Creates entities once per idempotency key: a repeat returns the first answer, which is stored sealed. */
@Injectable()
export class Creations {
  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private readonly keys: IdempotencyKeys,
  ) {}

  /**
   * Inserts in one transaction with the key; when `insert` throws, neither is stored.
   *
   * @param created the answer, known before anything is stored
   * @throws ApiError those of idempotency keys
   */
  once<V extends object>(
    call: CreatingCall,
    created: V,
    insert: (db: EntityManager) => Promise<void>,
  ): Promise<V> {
    const keyed = this.keys.read(call.path, call.idempotencyKey, call.request);
    return this.db.transaction(async (db) => {
      const first =
        keyed && (await claimKey(db, call.accountId, keyed, this.sealer.seal(JSON.stringify(created))));
      if (keyed && first) {
        requireSameBody(keyed, first);
        return replayed(call.reply, keyed, first, this.open(first.sealedAnswer) as V);
      }
      await insert(db);
      return created;
    });
  }

  /**
   * Opens a stored answer. It is unreadable after its SECRETS_KEY was removed, although the first call
   * succeeded.
   */
  private open(sealedAnswer: Buffer): unknown {
    try {
      return JSON.parse(this.sealer.open(sealedAnswer));
    } catch (cause) {
      const message = 'The first answer for this Idempotency-Key can no longer be read. Use a new key.';
      throw new ApiError('idempotency_key_reused', message, { cause });
    }
  }
}
