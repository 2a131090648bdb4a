import type { Draft } from './draft.ts';

/** Fields of a configuration: a change of some, and the sentence about one that the api refused. */
export interface FieldsProps {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  about: (field: string) => string | undefined;
}

/** Look of a group of fields that is only there to disable them together. */
export const FIELDSET = { border: 0, padding: 0, margin: 0, minWidth: 0 } as const;
