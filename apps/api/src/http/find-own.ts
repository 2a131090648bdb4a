import { ApiError } from '../errors/api-error.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import { UUID } from './uuid.ts';

/**
 * Finds a row of the caller's account by an id that the caller gave.
 *
 * @param find called only for a well-formed id; it looks among the rows of one account
 * @throws ApiError with `missing`, also for a row of another account
 */
export async function findOwn<R>(
  id: string,
  find: (id: string) => Promise<R | null | undefined | false>,
  missing: ErrorCode,
): Promise<R> {
  const found = UUID.test(id) && (await find(id));
  if (!found) throw new ApiError(missing);
  return found;
}
