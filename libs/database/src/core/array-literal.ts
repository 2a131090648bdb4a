/** Characters that have a meaning in an array literal. */
const SPECIAL = /["\\\s{},]/;

/**
 * Writes an array of scalars as Postgres reads it from text: `{a,"b c",NULL}`. Undefined is NULL. It replaces the
 * conversion of the driver, which quotes every element and costs more than the rest of a bulk statement.
 */
export function arrayLiteral(values: readonly unknown[]): string {
  let text = '';
  let last: unknown;
  let element = 'NULL';
  for (const value of values) {
    // a column often repeats one value
    if (value !== last) [last, element] = [value, elementOf(value)];
    text += `,${element}`;
  }
  return `{${text.slice(1)}}`;
}

function elementOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`;
  if (typeof value !== 'string') return `${value as number | boolean}`;
  return isQuoted(value) ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : value;
}

/** Unquoted, an empty text would be no element, and the word null would be NULL. */
function isQuoted(text: string): boolean {
  return text === '' || SPECIAL.test(text) || (text.length === 4 && text.toUpperCase() === 'NULL');
}
