import type { Draft } from './draft.ts';

/** Fields of a configuration: a change of some, and the sentence about one that the api refused. */
export interface FieldsProps {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  about: (field: string) => string | undefined;
}
