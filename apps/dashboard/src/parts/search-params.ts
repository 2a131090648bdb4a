/** Reads a search parameter as a text, trimmed; undefined when it is empty. A number in an address arrives as one. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number'
    ? String(value).trim() || undefined
    : undefined;
}

/** Reads a search parameter that has one of a few values. */
export function oneOf<Value>(choices: readonly Value[], value: unknown): Value | undefined {
  return choices.find((choice) => choice === value);
}

/** Leaves out members without a value, so that they do not appear in an address. */
export function withoutUndefined<T extends object>(given: { [K in keyof T]?: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
}
