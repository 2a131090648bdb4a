const COUNT = new Intl.NumberFormat();

/** `12345` → `12,345`. */
export function count(value: number): string {
  return COUNT.format(value);
}
