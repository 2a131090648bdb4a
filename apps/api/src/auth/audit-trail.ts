import { type AuditEvent, insertAuditEvent } from '@signalbox/database/users/audit';
import type { EntityManager } from 'typeorm';

/** A change as the audit log shows it. It holds no secret. */
export interface AuditedChange {
  /** Id of what is changed. */
  target: string | null;
  before?: object | null;
  after?: object | null;
}

/** The audit row of one request, which is written once. */
export class AuditTrail {
  private written = false;

  constructor(
    private readonly who: Pick<AuditEvent, 'accountId' | 'actor' | 'actorName' | 'action' | 'address'>,
    /** Describes the request by its path and its body, and by its result. */
    private readonly describe: (result: unknown) => AuditedChange = () => ({ target: null }),
  ) {}

  /** True once the row was written; a transaction that is rolled back answers with an error. */
  get isWritten(): boolean {
    return this.written;
  }

  /** Writes the row, in the transaction of the change where there is one. */
  async write(db: EntityManager, { target, before = null, after = null }: AuditedChange): Promise<void> {
    this.written = true;
    await insertAuditEvent(db, { ...this.who, target, before, after });
  }

  /** Writes the row in the transaction of the change, unless the change has written it already. */
  async complete(db: EntityManager, result: unknown): Promise<void> {
    if (!this.written) await this.write(db, this.describe(result));
  }
}

/** Runs a change in a transaction with the audit row of its caller; when one of them fails, none is stored. */
export function withAudit<R>(
  db: EntityManager,
  { audit }: { audit?: AuditTrail },
  change: (db: EntityManager) => Promise<R>,
): Promise<R> {
  return db.transaction(async (transaction) => {
    const result = await change(transaction);
    await audit?.complete(transaction, result);
    return result;
  });
}
