import type { IdForm } from './id-forms.ts';

/** Matches that no other form explains before a form becomes the rule of a gateway. */
export const RULE_HITS = 20;

/** The record of one form of the ids of one gateway. */
export interface IdEvidence {
  form: IdForm;
  /** Matches that the form explained since the last one that it did not. */
  hits: number;
  isRule: boolean;
  /** An operator refused it: it never becomes the rule. */
  isRevoked: boolean;
}

/**
 * Adds a match to the evidence of a gateway. A match that a form does not explain sets the form back to zero, and ends
 * it when it is the rule.
 *
 * @param forms all forms that explain the match
 */
export function addMatch(evidence: readonly IdEvidence[], forms: readonly IdForm[]): IdEvidence[] {
  const known = new Map(evidence.map((each) => [each.form, each]));
  const added = forms
    .filter((form) => !known.has(form))
    .map((form): IdEvidence => ({ form, hits: 0, isRule: false, isRevoked: false }));
  const counted = [...evidence, ...added].map((each) =>
    forms.includes(each.form) ? { ...each, hits: each.hits + 1 } : { ...each, hits: 0, isRule: false },
  );
  return withRule(counted);
}

/** Makes the best form the rule when there is none: most hits, then a fixed width before a variable one. */
function withRule(evidence: IdEvidence[]): IdEvidence[] {
  if (evidence.some(({ isRule }) => isRule)) return evidence;
  const [best] = evidence
    .filter(({ form, hits, isRevoked }) => form !== 'exact' && hits >= RULE_HITS && !isRevoked)
    .toSorted((a, b) => b.hits - a.hits || widthOf(b.form) - widthOf(a.form));
  return best ? evidence.map((each) => (each === best ? { ...each, isRule: true } : each)) : evidence;
}

/**
 * Of forms with as many hits, the widest is the most specific; null-padded forms of one width do not differ in the ids
 * seen so far.
 */
function widthOf(form: IdForm): number {
  return Number(/:(\d+)$/.exec(form)?.[1] ?? 0);
}
