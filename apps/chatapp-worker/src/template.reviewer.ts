import {
  type TemplateDecision,
  decideTemplates,
  listPendingTemplates,
} from '@signalbox/database/templates/reviews';
import { reviewTemplate } from '@signalbox/domain/templates/lint';
import type { EntityManager } from 'typeorm';

/** How histories name this reviewer. */
const ACTOR = 'review:auto';

/** Decides on templates by the rules of the linter, or leaves them to a person. */
export class TemplateReviewer {
  constructor(
    private readonly db: EntityManager,
    private readonly mode: 'auto' | 'manual',
  ) {}

  /** Reviews those of these templates that wait for it. One that was decided or edited meanwhile is left as it is. */
  async review(ids: string[]): Promise<{ decided: number }> {
    if (this.mode === 'manual') return { decided: 0 };
    const pending = await listPendingTemplates(this.db, ids);
    const decisions = pending.map(
      ({ id, version, ...content }): TemplateDecision => ({ id, version, ...reviewTemplate(content) }),
    );
    return { decided: (await decideTemplates(this.db, decisions, ACTOR)).length };
  }
}
