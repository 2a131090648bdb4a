import { type StoredLimit, countCreations, lockLimit } from '@signalbox/database/accounts/limits';
import {
  ACCOUNT_LIMITS,
  type AccountLimit,
  CREATIONS_PER_DAY,
  LIMITED_CREATIONS,
  type LimitedCreation,
} from '@signalbox/domain/account-limits';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';

/**
 * Requires that an account may create one more, and has not created too many within 24 hours. Call it in the transaction
 * that creates: concurrent ones wait for each other.
 *
 * @param adding the amount that is created
 * @param rows the rows that are created, where the limit counts something else
 * @throws ApiError limit_reached
 */
export async function requireRoom(
  db: EntityManager,
  accountId: string,
  limit: StoredLimit,
  {
    adding = 1,
    rows = adding,
    within = [],
  }: { adding?: number; rows?: number; within?: readonly unknown[] } = {},
): Promise<void> {
  const { used, max } = await lockLimit(db, accountId, limit, within);
  if (used + adding > max) throw limitReached(limit, max);
  if (!isLimitedCreation(limit)) return;
  const created = await countCreations(db, accountId, limit);
  if (created + rows > max * CREATIONS_PER_DAY) throw tooManyCreations(limit, max * CREATIONS_PER_DAY);
}

/** The refusal that names a limit. */
export function limitReached(limit: AccountLimit, max: number): ApiError {
  const { unit } = ACCOUNT_LIMITS[limit];
  return new ApiError(
    'limit_reached',
    `The account may have ${max.toLocaleString('en')} ${unit}, and this would be more (limit "${limit}").`,
  );
}

function isLimitedCreation(limit: AccountLimit): limit is LimitedCreation {
  return limit in LIMITED_CREATIONS;
}

function tooManyCreations(limit: LimitedCreation, max: number): ApiError {
  return new ApiError(
    'limit_reached',
    `The account may create ${max.toLocaleString('en')} ${LIMITED_CREATIONS[limit]} within 24 hours, deleted ones included, and this would be more (limit "${limit}").`,
  );
}
