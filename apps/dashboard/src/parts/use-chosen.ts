import { useState } from 'react';

const NONE: ReadonlySet<string> = new Set();

/** Rows that a person chose of a list, by its key. A list with another key begins without any. */
export function useChosen(key: string): [ReadonlySet<string>, (chosen: ReadonlySet<string>) => void] {
  const [choice, setChoice] = useState({ key, chosen: NONE });
  if (choice.key !== key) setChoice({ key, chosen: NONE });
  return [choice.key === key ? choice.chosen : NONE, (chosen) => setChoice({ key, chosen })];
}
