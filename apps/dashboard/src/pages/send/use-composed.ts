import { useState } from 'react';
import { type Refusal, useRefusal } from './use-refusal.ts';

/** A message as it is composed. */
interface Composed<Draft> {
  draft: Draft;
  /** True once a person changed it. */
  isChanged: boolean;
  refusal: Refusal;
  /** Changes members, and takes back what was refused. */
  change: (given: Partial<Draft>) => void;
}

/** Keeps the draft of a composer, and what the api refuses about its fields. */
export function useComposed<Draft>(first: Draft, fields: readonly string[]): Composed<Draft> {
  const [draft, setDraft] = useState<Draft>(first);
  const [isChanged, setChanged] = useState(false);
  const refusal = useRefusal(fields);
  const change = (given: Partial<Draft>) => {
    setChanged(true);
    refusal.clear();
    setDraft((before) => ({ ...before, ...given }));
  };
  return { draft, isChanged, refusal, change };
}
