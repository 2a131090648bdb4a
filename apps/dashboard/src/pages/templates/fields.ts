import type { Draft } from './draft.ts';
import type { Check } from './use-check.ts';

/** Properties of each section of the editor. */
export interface SectionProps {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  about: Check['about'];
}
