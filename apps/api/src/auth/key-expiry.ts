import { findKey } from '@signalbox/database/accounts/api-keys';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import type { Caller } from './caller.ts';

/** Finds the time at which the API key of a caller expires; null for a user, and for a key that never expires. */
export async function findExpiry(
  db: EntityManager,
  { user, accountId, keyId }: Caller,
): Promise<Date | null> {
  if (user) return null;
  return (await findKey(db, accountId, keyId))?.expiresAt ?? null;
}

/**
 * Requires a caller who may let others sign in: their sessions would outlive a key that expires.
 *
 * @throws ApiError key_expires
 */
export async function requireEndless(db: EntityManager, caller: Caller): Promise<void> {
  if ((await findExpiry(db, caller)) !== null) throw new ApiError('key_expires');
}
