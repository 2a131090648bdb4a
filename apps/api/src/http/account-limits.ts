import { type StoredLimit, lockLimit } from '@signalbox/database/accounts/limits';
import { ACCOUNT_LIMITS, type AccountLimit } from '@signalbox/domain/account-limits';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';

/**
 * Requires that an account may create one more. Call it in the transaction that creates: concurrent ones wait for each
 * other.
 *
 * @param adding the amount that is created
 * @throws ApiError limit_reached
 */
export async function requireRoom(
  db: EntityManager,
  accountId: string,
  limit: StoredLimit,
  { adding = 1, within = [] }: { adding?: number; within?: readonly unknown[] } = {},
): Promise<void> {
  const { used, max } = await lockLimit(db, accountId, limit, within);
  if (used + adding > max) throw limitReached(limit, max);
}

/** The refusal that names a limit. */
export function limitReached(limit: AccountLimit, max: number): ApiError {
  const { unit } = ACCOUNT_LIMITS[limit];
  return new ApiError(
    'limit_reached',
    `The account may have ${max.toLocaleString('en')} ${unit}, and this would be more (limit "${limit}").`,
  );
}
