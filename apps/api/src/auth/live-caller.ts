import { lockAccounts } from '@signalbox/database/accounts/accounts';
import { listKeyHolders } from '@signalbox/database/accounts/api-keys';
import { findSession } from '@signalbox/database/users/sessions';
import { lockUsers } from '@signalbox/database/users/users';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import { UUID } from '../http/uuid.ts';
import { withAudit } from './audit-trail.ts';
import type { Caller } from './caller.ts';
import { isSessionOf } from './session-callers.ts';

/** The account or the user that a change concerns, besides those of its caller. */
export interface Subject {
  accountId?: string | undefined;
  userId?: string | undefined;
}

/**
 * Runs a change in a transaction, if the key or the session of its caller has not ended since the request began, and has
 * the same role. Call it for whatever outlives its caller: keys, users, roles, secrets. A body may arrive for 30 s.
 *
 * @throws ApiError api_key_invalid, session_expired
 */
export function asLiveCaller<R>(
  db: EntityManager,
  caller: Caller,
  change: (db: EntityManager) => Promise<R>,
  subject?: Subject,
): Promise<R> {
  return db.transaction(async (transaction) => {
    await requireLiveCaller(transaction, caller, subject);
    return change(transaction);
  });
}

/** Runs a change as `asLiveCaller` does, with the audit row of its caller. @throws ApiError api_key_invalid, session_expired */
export function withAuditAsLiveCaller<R>(
  db: EntityManager,
  caller: Caller,
  change: (db: EntityManager) => Promise<R>,
  subject?: Subject,
): Promise<R> {
  return withAudit(db, caller, async (transaction) => {
    await requireLiveCaller(transaction, caller, subject);
    return change(transaction);
  });
}

/**
 * Requires what `asLiveCaller` does, in a transaction that has locked nothing else. Whoever removes or changes a user of
 * the account holds the lock of the account, and whoever resets a user that of the user.
 *
 * @param subject locked together with the caller, so that two callers who change each other never deadlock
 * @throws ApiError api_key_invalid, session_expired
 */
export async function requireLiveCaller(
  db: EntityManager,
  caller: Caller,
  subject: Subject = {},
): Promise<void> {
  await lockAccounts(db, idsOf(caller.accountId, subject.accountId));
  await lockUsers(db, idsOf(caller.user?.id, subject.userId));
  if (!caller.user) {
    const [holder] = await listKeyHolders(db, [caller.hash]);
    if (holder?.accountStatus !== 'active') throw new ApiError('api_key_invalid');
    return;
  }
  if (!isSessionOf(caller, await findSession(db, caller.hash))) throw new ApiError('session_expired');
}

function idsOf(...ids: (string | undefined)[]): string[] {
  return ids.filter((id) => id !== undefined && UUID.test(id)) as string[];
}
