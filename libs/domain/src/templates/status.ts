/** Where a template stands (decisions, Status). */
export const TEMPLATE_STATUSES = ['PENDING', 'APPROVED', 'REJECTED', 'PAUSED'] as const;
export type TemplateStatus = (typeof TEMPLATE_STATUSES)[number];

/** The states that a template may be edited in; an edit puts it back to PENDING (spec 3). */
export const EDITABLE: readonly TemplateStatus[] = ['APPROVED', 'REJECTED', 'PAUSED'];

/** A reviewer's word. */
export const DECISIONS = ['approve', 'reject', 'pause', 'resume'] as const;
export type Decision = (typeof DECISIONS)[number];

/** From where to where each decision moves a template; it says nothing about one that stands elsewhere. */
export const MOVES: Readonly<Record<Decision, { from: TemplateStatus; to: TemplateStatus }>> = {
  approve: { from: 'PENDING', to: 'APPROVED' },
  reject: { from: 'PENDING', to: 'REJECTED' },
  pause: { from: 'APPROVED', to: 'PAUSED' },
  resume: { from: 'PAUSED', to: 'APPROVED' },
};

/** The wire's word for a status: `Pending`. */
export function templateStatusWord(status: TemplateStatus): string {
  return status.charAt(0) + status.slice(1).toLowerCase();
}

/** How often a template may be edited, in days and months of UTC (spec 3). */
export const EDITS_PER_MONTH = 10;
