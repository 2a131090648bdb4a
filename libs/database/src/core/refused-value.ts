/**
 * True when Postgres refused a value of a statement: one that it cannot hold, or one that breaks a constraint (SQLSTATE
 * class 23). The same statement without that row succeeds. Outages, timeouts and deadlocks are of other classes.
 */
export function isRefusedValue(error: unknown): boolean {
  return isUnstorableValue(error) || stateOf(error).startsWith('23');
}

/** True when Postgres cannot hold a value: one of no valid form (class 22), or too long for an index (54000). */
export function isUnstorableValue(error: unknown): boolean {
  const state = stateOf(error);
  return state.startsWith('22') || state === '54000';
}

/** The SQLSTATE of an error; empty when it has none. */
export function stateOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : '';
}
