import type { ErrCode } from '@signalbox/domain/err-codes';
import { getOrInsert } from '@signalbox/domain/get-or-insert';

/** Our code by a gateway's own. Keys are compared without case, white space and leading zeros. */
export type ErrorTable = Readonly<Record<string, ErrCode>>;

/** Tables are constants, so each is indexed once. */
const indexed = new WeakMap<object, ReadonlyMap<string, string>>();

/** Translates a gateway's code; `099` for one that the table does not list, and for none. */
export function errCodeOf(table: ErrorTable, rawCode: string | number | null | undefined): ErrCode {
  if (rawCode === null || rawCode === undefined) return '099';
  return findErrCode(table, String(rawCode)) ?? '099';
}

/** Translates a gateway's code; undefined for one that the table does not list. */
export function findErrCode<Code extends string>(
  table: Readonly<Record<string, Code>>,
  rawCode: string,
): Code | undefined {
  return indexOf(table).get(canonical(rawCode));
}

/** Returns a table in which the entries of `overrides` replace those of `table`, however their codes are spelled. */
export function withOverrides(table: ErrorTable, overrides: ErrorTable): ErrorTable {
  return Object.fromEntries([...indexOf(table), ...indexOf(overrides)]);
}

function indexOf<Code extends string>(table: Readonly<Record<string, Code>>): ReadonlyMap<string, Code> {
  return getOrInsert(
    indexed,
    table,
    () => new Map(Object.entries(table).map(([raw, code]) => [canonical(raw), code])),
  ) as ReadonlyMap<string, Code>;
}

function canonical(rawCode: string): string {
  return rawCode
    .trim()
    .toLowerCase()
    .replace(/^0+(?=.)/, '');
}
