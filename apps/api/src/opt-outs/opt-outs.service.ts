import { randomUUIDv7 } from 'node:crypto';
import { deleteOptOut, findOptOut, listOptOuts, upsertOptOuts } from '@signalbox/database/accounts/opt-outs';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import type { CreatingCall, Creations } from '../http/creations.ts';
import type { Cursors } from '../http/cursor.ts';
import { UUID } from '../http/uuid.ts';
import type { OptOutQuery, OptOutRequest } from './opt-out.dto.ts';
import { type OptOutView, optOutView } from './opt-out.view.ts';

/** Keeps who wants no messages of an account. */
export class OptOutsService {
  constructor(
    private readonly db: EntityManager,
    private readonly cursors: Cursors,
    private readonly creations: Creations,
  ) {}

  /** Adds opt-outs; a number given twice counts once, and one that has opted out already is renewed. @throws ApiError those of idempotency keys */
  add(call: CreatingCall, request: OptOutRequest): Promise<OptOutView[]> {
    const { recipient, recipients = [], sender = '', source } = request;
    const reason = request.reason ?? null;
    const numbers = new Set(
      [...recipients, ...(recipient === undefined ? [] : [recipient])].map((number) => parseMsisdn(number)!),
    );
    const createdAt = new Date();
    const rows = Array.from(numbers, (number) => ({
      id: randomUUIDv7(),
      recipient: number,
      sender,
      source,
      reason,
      createdAt,
    }));
    return this.creations.once(call, rows.map(optOutView), (db) => upsertOptOuts(db, call.accountId, rows));
  }

  /** @throws ApiError opt_out_not_found, also for another tenant's */
  async get(accountId: string, id: string): Promise<OptOutView> {
    const row = UUID.test(id) ? await findOptOut(this.db, accountId, id) : undefined;
    if (!row) throw new ApiError('opt_out_not_found');
    return optOutView(row);
  }

  /** A page of the account's opt-outs, newest first. */
  list(accountId: string, query: OptOutQuery): Promise<{ page: OptOutView[]; nextCursor: string | null }> {
    const recipient = query.recipient && parseMsisdn(query.recipient);
    const read = (limit: number, before?: string) =>
      listOptOuts(this.db, accountId, limit, before, recipient);
    return this.cursors.page('opt-outs', accountId, query, read, optOutView);
  }

  /** @throws ApiError opt_out_not_found */
  async delete(accountId: string, id: string): Promise<void> {
    if (!UUID.test(id) || !(await deleteOptOut(this.db, accountId, id)))
      throw new ApiError('opt_out_not_found');
  }
}
