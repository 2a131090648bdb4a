import type { Draft } from './draft.ts';
import type { Check } from './use-check.ts';

/** What each section of the editor gets. */
export interface SectionProps {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  about: Check['about'];
}
