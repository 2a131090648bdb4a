import type { ErrCode } from '@signalbox/domain/err-codes';

/** Our code by a gateway's own. Keys are compared without case, white space and leading zeros. */
export type ErrorTable = Readonly<Record<string, ErrCode>>;

/** Tables are constants, so each is indexed once. */
const indexed = new WeakMap<ErrorTable, ReadonlyMap<string, ErrCode>>();

/** Translates a gateway's code; `099` for one that the table does not list, and for none. */
export function errCodeOf(table: ErrorTable, rawCode: string | number | null | undefined): ErrCode {
  if (rawCode === null || rawCode === undefined) return '099';
  return indexOf(table).get(canonical(String(rawCode))) ?? '099';
}

/** Returns a table in which the entries of `overrides` replace those of `table`, however their codes are spelled. */
export function withOverrides(table: ErrorTable, overrides: ErrorTable): ErrorTable {
  return Object.fromEntries([...indexOf(table), ...indexOf(overrides)]);
}

function indexOf(table: ErrorTable): ReadonlyMap<string, ErrCode> {
  const known = indexed.get(table);
  if (known) return known;
  const index = new Map(Object.entries(table).map(([raw, code]) => [canonical(raw), code]));
  indexed.set(table, index);
  return index;
}

function canonical(rawCode: string): string {
  return rawCode
    .trim()
    .toLowerCase()
    .replace(/^0+(?=.)/, '');
}
