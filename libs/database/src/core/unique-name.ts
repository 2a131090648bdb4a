/**
 * Waits for an insert or update of a row whose name must be the only one of its account.
 *
 * @param constraint the unique constraint or index that the name may violate
 * @returns 'name_exists' when it did; a transaction around the statement can then only be rolled back
 * @throws any other error of the statement
 */
export async function orNameExists<Result>(
  constraint: string,
  write: Promise<Result>,
): Promise<Result | 'name_exists'> {
  try {
    return await write;
  } catch (error) {
    if ((error as { constraint?: string }).constraint === constraint) return 'name_exists';
    throw error;
  }
}
