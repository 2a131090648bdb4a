import type { TemplateStatus } from '@signalbox/domain/templates/status';

const STATUSES: Readonly<Record<string, Exclude<TemplateStatus, 'PENDING'>>> = {
  APPROVED: 'APPROVED',
  REINSTATED: 'APPROVED',
  FLAGGED: 'APPROVED',
  REJECTED: 'REJECTED',
  PAUSED: 'PAUSED',
  LOCKED: 'PAUSED',
  ARCHIVED: 'PAUSED',
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
  return STATUSES[word ?? ''] ?? null;
}

/** Adds the meaning of the status to the reason that Meta gave. */
export function templateReason(word: string | undefined, reason: string | undefined): string | null {
  const parts = [REASONS[word ?? ''], reason].filter((part) => part !== undefined);
  return parts.length === 0 ? null : parts.join(': ');
}
