/**
 * True when Postgres refused a value of a statement: SQLSTATE class 22, a value of no valid form, 23, a broken
 * constraint, or 54000, a value that an index cannot hold. The same statement without that row succeeds. Outages,
 * timeouts and deadlocks are of other classes.
 */
export function isRefusedValue(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^(2[23][0-9A-Z]{3}|54000)$/.test(code);
}
