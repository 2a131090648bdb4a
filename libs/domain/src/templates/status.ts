import { wireStatus } from '../message-status.ts';

export const TEMPLATE_STATUSES = ['PENDING', 'APPROVED', 'REJECTED', 'PAUSED'] as const;
export type TemplateStatus = (typeof TEMPLATE_STATUSES)[number];

/** Statuses in which a template may be edited. An edit sets it back to PENDING. */
export const EDITABLE_STATUSES: readonly TemplateStatus[] = ['APPROVED', 'REJECTED', 'PAUSED'];

/** Decisions of a reviewer. */
export const DECISIONS = ['approve', 'reject', 'pause', 'resume'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Status change of each decision. A template in another status is not changed. */
export const DECISION_MOVES: Readonly<Record<Decision, { from: TemplateStatus; to: TemplateStatus }>> = {
  approve: { from: 'PENDING', to: 'APPROVED' },
  reject: { from: 'PENDING', to: 'REJECTED' },
  pause: { from: 'APPROVED', to: 'PAUSED' },
  resume: { from: 'PAUSED', to: 'APPROVED' },
};

/** Converts a status to its wire form, such as `Pending`. */
export function templateWireStatus(status: TemplateStatus): Capitalize<Lowercase<TemplateStatus>> {
  return wireStatus(status);
}

/** Edits of a template per calendar month in UTC. */
export const EDITS_PER_MONTH = 10;
