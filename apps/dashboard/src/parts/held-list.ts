import { createContext, use, useEffect } from 'react';
import type { List } from '../api/use-list.ts';

/** Holds the list around a dialog; undefined outside a list. */
export const HeldList = createContext<List<unknown>['hold'] | undefined>(undefined);

/** Keeps the list around a dialog as it is while the dialog is open: a row that leaves the list takes it along. */
export function useHeldList(isOpen: boolean): void {
  const hold = use(HeldList);
  useEffect(() => (isOpen ? hold?.() : undefined), [isOpen, hold]);
}
