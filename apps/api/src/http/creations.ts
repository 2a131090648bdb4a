import { claimKey } from '@signalbox/database/submissions/creations';
import type { Sealer } from '@signalbox/runtime/seal';
import type { FastifyReply } from 'fastify';
import type { EntityManager } from 'typeorm';
import { type IdempotencyKeys, replayed } from './idempotency.ts';

/** A call that creates something, and may be made twice. */
export interface CreatingCall {
  accountId: string;
  path: string;
  request: object;
  idempotencyKey: string | undefined;
  reply: FastifyReply;
}

/** Creates things once per idempotency key: a repeat gets the first answer. Answers are kept sealed. */
export class Creations {
  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private readonly keys: IdempotencyKeys,
  ) {}

  /**
   * Inserts, in one transaction with the key; what `insert` throws takes both back.
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
