import { isObjectOrList } from './is-object.ts';

/** A value of a request body and its path, for checks of several fields whose own types may be wrong. */
export interface Located<V> {
  path: string;
  value: V;
}

/** Locates the objects of a list. Elements of other types are skipped, and so is anything but a list. */
export function objectsOf<V extends object>(path: string, list: readonly V[] | undefined): Located<V>[] {
  if (!Array.isArray(list)) return [];
  return list
    .map((value: V, i) => ({ path: `${path}[${i}]`, value }))
    .filter(({ value }) => isObjectOrList(value));
}
