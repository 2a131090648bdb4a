/** Is true for an object that is no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Is true for an object or a list. */
export function isObjectOrList(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
