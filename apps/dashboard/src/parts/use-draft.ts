import { useState } from 'react';
import { isSame } from './is-same.ts';

/** Values of a form: as they were read, as they were saved last, and as they are typed. */
interface Values<Draft> {
  read: Draft;
  saved: Draft;
  draft: Draft;
}

/** The values of a form, and what changes them. */
interface DraftOf<Draft> extends Omit<Values<Draft>, 'read'> {
  isChanged: boolean;
  set: (change: Partial<Draft>) => void;
  /** Takes over what the api stored of a draft; input since then stays. */
  keep: (draft: Draft, stored: Draft) => void;
}

/**
 * Begins a draft with what was read. While nothing is typed, the draft takes over what is read again. What is read as it
 * was typed is saved.
 */
export function useDraft<Draft extends object>(read: Draft): DraftOf<Draft> {
  const [values, setValues] = useState<Values<Draft>>({ read, saved: read, draft: read });
  const { saved, draft } = values;
  const isChanged = !isSame(saved, draft);
  if (!isSame(read, values.read))
    setValues(isChanged && !isSame(read, draft) ? { ...values, read } : { read, saved: read, draft: read });
  return {
    saved,
    draft,
    isChanged,
    set: (change) => setValues((before) => ({ ...before, draft: { ...before.draft, ...change } })),
    keep: (sent, stored) =>
      setValues((before) =>
        before.draft === sent ? { ...before, saved: stored, draft: stored } : { ...before, saved: sent },
      ),
  };
}
