import { Injectable } from '@nestjs/common';
import { claimKey } from '@signalbox/database/submissions/creations';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { IdempotencyKeys, replayed } from './idempotency.ts';
import type { CreatingCall } from './repeatable-call.ts';

export type { CreatingCall } from './repeatable-call.ts';

/** Creates things once per idempotency key: a repeat gets the first answer. Answers are kept sealed. */
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
      if (keyed && first)
        return replayed(call.reply, keyed, first, JSON.parse(this.sealer.open(first.sealedAnswer)) as V);
      await insert(db);
      return created;
    });
  }
}
