/** Value of a number in JSON, and the text that it was written as. */
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

/** Integers that a number cannot hold, such as ids, become their digits. */
const keepLongIntegers: Reviver = (_key, value, context) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
    ? context?.source
    : value;

/** Parses JSON; undefined for any other text. Integers beyond 2^53 become texts. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, keepLongIntegers as (key: string, value: unknown) => unknown);
  } catch {
    return undefined;
  }
}

/** Parses form fields. A name that is given several times yields its first value. */
export function parseForm(text: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text))
    if (!Object.hasOwn(fields, name)) Object.defineProperty(fields, name, { value, enumerable: true });
  return fields;
}

/** Is true for a body that is read as JSON, whatever its content type. */
export function looksLikeJson(body: string): boolean {
  return /^\s*[{[]/.test(body);
}
