import type { TemplateStatus } from '@signalbox/domain/templates/status';

const STATUSES: Readonly<Record<string, Exclude<TemplateStatus, 'PENDING'>>> = {
  APPROVED: 'APPROVED',
  REINSTATED: 'APPROVED',
  FLAGGED: 'APPROVED',
  REJECTED: 'REJECTED',
  PAUSED: 'PAUSED',
  LOCKED: 'PAUSED',
  ARCHIVED: 'PAUSED',
  UNARCHIVED: 'APPROVED',
  DISABLED: 'REJECTED',
  LIMIT_EXCEEDED: 'REJECTED',
  DELETED: 'REJECTED',
};

const REASONS: Readonly<Record<string, string>> = {
  DISABLED: 'Meta has disabled the template',
  LIMIT_EXCEEDED: 'The business account has as many templates as Meta allows',
  DELETED: 'The template was deleted at Meta',
  LOCKED: 'Meta has locked the template',
  ARCHIVED: 'Meta has archived the template',
};

/**
 * Maps Meta's status of a template to ours; null for one that changes nothing, such as PENDING. A flagged template may
 * still be sent.
 */
export function templateStatusOf(word: string | undefined): Exclude<TemplateStatus, 'PENDING'> | null {
  return word !== undefined && Object.hasOwn(STATUSES, word) ? STATUSES[word]! : null;
}

/** Words that move nothing. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(['PENDING', 'IN_APPEAL', 'PENDING_DELETION']);

/** Is false for a word that Meta did not document when this was written. */
export function isKnownStatus(word: string): boolean {
  return Object.hasOwn(STATUSES, word) || WITHOUT_EFFECT.has(word);
}

/** Adds the meaning of the status to the reason that Meta gave. */
export function templateReason(word: string | undefined, reason: string | undefined): string | null {
  const parts = [REASONS[word ?? ''], reason].filter((part) => part !== undefined);
  return parts.length === 0 ? null : parts.join(': ');
}
