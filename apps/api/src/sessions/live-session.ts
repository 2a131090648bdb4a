import { hasSession } from '@signalbox/database/users/sessions';
import { type UserSecrets, lockUser } from '@signalbox/database/users/users';
import type { EntityManager } from 'typeorm';
import type { SessionUser } from '../auth/caller.ts';
import { ApiError } from '../errors/api-error.ts';

/**
 * Locks the user of a session that has not ended since the request began: whoever resets a user ends the sessions under
 * the same lock.
 *
 * @throws ApiError session_expired
 */
export async function lockLive(db: EntityManager, { id, sessionId }: SessionUser): Promise<UserSecrets> {
  const locked = await lockUser(db, id);
  if (!locked || !(await hasSession(db, id, sessionId))) throw new ApiError('session_expired');
  return locked;
}
