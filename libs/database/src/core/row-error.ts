/**
 * True when Postgres refused a statement for what one of its rows holds: a value out of range (SQLSTATE class 22), a broken
 * constraint (23), or damage on disk (XX). The same statement may succeed for the other rows.
 */
export function isRowError(error: unknown): boolean {
  const { driverError } = error as { driverError?: { code?: unknown } };
  return typeof driverError?.code === 'string' && /^(22|23|XX)[0-9A-Z]{3}$/.test(driverError.code);
}
