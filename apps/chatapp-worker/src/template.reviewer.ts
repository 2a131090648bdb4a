import { Injectable } from '@nestjs/common';
import {
  type TemplateDecision,
  decideTemplates,
  listPendingTemplates,
} from '@signalbox/database/templates/reviews';
import { reviewTemplate } from '@signalbox/domain/templates/lint';
import { EntityManager } from 'typeorm';
import { ChatappWorkerConfig } from './config.ts';

/** Names this reviewer in the history of a template. */
const ACTOR = 'review:auto';

/** Decides on templates by the rules of the linter, unless people review them. */
@Injectable()
export class TemplateReviewer {
  constructor(
    private readonly db: EntityManager,
    private readonly config: ChatappWorkerConfig,
  ) {}

  /** Decides on the pending ones of these templates. Skips a template that was decided or edited meanwhile. */
  async review(ids: string[]): Promise<{ decided: number }> {
    if (this.config.TEMPLATE_REVIEW === 'manual') return { decided: 0 };
    const pending = await listPendingTemplates(this.db, ids);
    const decisions = pending.map(
      ({ id, version, ...content }): TemplateDecision => ({ id, version, ...reviewTemplate(content) }),
    );
    return { decided: (await decideTemplates(this.db, decisions, ACTOR)).length };
  }
}
